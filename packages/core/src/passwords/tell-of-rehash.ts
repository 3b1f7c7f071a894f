import type { SecurityEvent } from '../ports/telemetry.ts';
import type { RehasherParts } from './rehash.ts';

/** Makes the listener that tells `emit` what became of a rehash, where there is something to tell. */
export function tellOfRehash(emit: (event: SecurityEvent) => void): RehasherParts['onOutcome'] {
  return (userId, result, origin) => {
    switch (result.outcome) {
      case 'replaced':
      case 'superseded': {
        const replaced = result.outcome === 'replaced';
        emit({ type: 'password.rehashed', userId, replaced, ...origin });
        return;
      }
      case 'failed':
        // Of a fault of the directory its guard has told.
        if (result.where === 'directory') return;
        emit({ type: 'fault', where: 'internal', error: result.error });
        return;
      case 'skipped':
        return;
    }
  };
}
