import type { LoginStoreOutcome } from '@latchhook/core/storage';
import type { FunctionAnswer } from './function-answer.ts';

/** Reads the answer of a function that stores a login unless it was superseded: see `overtaken`. */
export function readLoginStoreOutcome(answer: FunctionAnswer): LoginStoreOutcome<FunctionAnswer> {
  const outcome = answer.outcome(['created', 'superseded', 'in_doubt']);
  switch (outcome) {
    case 'created':
      return { outcome, stored: answer };
    case 'superseded':
      return { outcome };
    case 'in_doubt':
      return { outcome, nowMs: answer.integer('nowMs'), tookMs: answer.tookMs };
  }
}
