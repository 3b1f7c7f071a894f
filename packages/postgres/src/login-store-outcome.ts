import type { LoginStoreOutcome } from '@latchhook/core/storage';
import type { FunctionResult } from './function-result.ts';

/**
 * Reads the result of a function that stores a login unless the login is stale: see `staleLogin`. `enrolled` is read as
 * `created` because `storeLogin` need not know more than that the login is not stale; its caller reads the outcome from
 * `stored`.
 */
export function readLoginStoreOutcome(result: FunctionResult): LoginStoreOutcome<FunctionResult> {
  const outcome = result.outcome(['created', 'enrolled', 'stale_login', 'needs_retry']);
  switch (outcome) {
    case 'created':
    case 'enrolled':
      return { outcome: 'created', stored: result };
    case 'stale_login':
      return { outcome };
    case 'needs_retry':
      return { outcome, nowMs: result.integer('nowMs'), tookMs: result.tookMs };
  }
}
