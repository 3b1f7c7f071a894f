import type { LoginStoreOutcome } from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';

/** Reads the reply of a script that stores a login unless the login is stale: see `staleLogin`. */
export function readLoginStoreOutcome(reply: ScriptReply): LoginStoreOutcome<ScriptReply> {
  const outcome = reply.outcome(['created', 'stale_login', 'needs_retry']);
  switch (outcome) {
    case 'created':
      return { outcome, stored: reply };
    case 'stale_login':
      return { outcome };
    case 'needs_retry':
      return { outcome, nowMs: reply.integer(), tookMs: reply.tookMs };
  }
}
