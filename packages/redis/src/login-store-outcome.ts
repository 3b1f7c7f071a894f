import type { LoginStoreOutcome } from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';

/** Reads the answer of a script that stores a login unless it was superseded: see `overtaken`. */
export function readLoginStoreOutcome(reply: ScriptReply): LoginStoreOutcome<ScriptReply> {
  const outcome = reply.outcome(['created', 'superseded', 'in_doubt']);
  switch (outcome) {
    case 'created':
      return { outcome, stored: reply };
    case 'superseded':
      return { outcome };
    case 'in_doubt':
      return { outcome, nowMs: reply.integer(), tookMs: reply.tookMs };
  }
}
