import type { StarterName } from './apps/start-starter.ts';

/**
 * Whether this run has every framework with every storage, like `.ci/run`, and both starters. Otherwise it has
 * representative combinations, because adapters and storages do not know each other.
 */
export const EVERY_CELL: boolean = process.env['EVERY_CELL'] === '1';

/** The starters differ only in the framework. */
export const STARTERS: readonly StarterName[] = EVERY_CELL
  ? ['express-starter', 'koa-starter']
  : ['express-starter'];
