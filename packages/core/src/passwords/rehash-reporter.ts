import type { SecurityEvent } from '../ports/security-events.ts';
import type { RehasherDeps } from './rehash.ts';

/** Makes the listener that emits the outcome of a rehash, where there is something to report. */
export function createRehashReporter(
  emit: (event: SecurityEvent) => void,
): RehasherDeps['onOutcome'] {
  return (userId, result, client) => {
    switch (result.outcome) {
      case 'replaced':
      case 'superseded': {
        const replaced = result.outcome === 'replaced';
        emit({ type: 'password.rehashed', userId, replaced, ...client });
        return;
      }
      case 'failed':
        // The boundary around the directory has emitted it.
        if (result.where === 'directory') return;
        emit({ type: 'fault', where: 'internal', error: result.error });
        return;
      case 'skipped':
        return;
    }
  };
}
