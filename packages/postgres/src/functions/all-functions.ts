import type { SqlDefinition } from '../define-function.ts';
import { enter } from './internal/enter.ts';
import { lockUser } from './internal/lock-user.ts';

/** Everything that is defined anew with every version, in an order in which each finds those it needs. */
export const ALL_FUNCTIONS: readonly SqlDefinition[] = [enter, lockUser];
