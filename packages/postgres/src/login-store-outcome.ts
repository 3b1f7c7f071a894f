import type { LoginStoreOutcome } from '@latchhook/core/storage';
import type { FunctionAnswer } from './function-answer.ts';

/** Reads the result of a function that stores a login unless the login is stale: see `staleLogin`. */
export function readLoginStoreOutcome(answer: FunctionAnswer): LoginStoreOutcome<FunctionAnswer> {
  const outcome = answer.outcome(['created', 'stale_login', 'needs_retry']);
  switch (outcome) {
    case 'created':
      return { outcome, stored: answer };
    case 'stale_login':
      return { outcome };
    case 'needs_retry':
      return { outcome, nowMs: answer.integer('nowMs'), tookMs: answer.tookMs };
  }
}
