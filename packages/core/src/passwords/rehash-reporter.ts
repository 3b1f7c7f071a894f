import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { RehasherDeps } from './rehash.ts';

/** Returns the listener that emits the outcome of a rehash as an event; a skipped rehash has none. */
export function createRehashReporter(
  emit: (event: SecurityEvent) => void,
): RehasherDeps['onOutcome'] {
  return (userId, result, client) => {
    switch (result.outcome) {
      case 'replaced':
      case 'stale': {
        const replaced = result.outcome === 'replaced';
        emit({ type: 'password.rehashed', userId, replaced, ...client });
        return;
      }
      case 'failed':
        emitFaultOf(result.error, emit);
        return;
      case 'skipped':
        return;
    }
  };
}
