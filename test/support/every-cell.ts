import type { StarterName } from './apps/start-starter.ts';

/**
 * Whether this run has every framework with every storage, as `.ci/run` has, and both starters. Else it has those that
 * represent them: adapters know nothing of storages, nor these of them.
 */
export const EVERY_CELL: boolean = process.env['EVERY_CELL'] === '1';

/** They differ in their framework alone. */
export const STARTERS: readonly StarterName[] = EVERY_CELL
  ? ['express-starter', 'koa-starter']
  : ['express-starter'];
