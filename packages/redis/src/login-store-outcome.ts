import type { LoginStoreOutcome } from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';

/**
 * Reads the reply of a script that stores a login unless the login is stale: see `staleLogin`. `enrolled`, after which
 * nothing is stored, counts as `created` because it needs no retry either: the caller reads the reply again.
 */
export function readLoginStoreOutcome(reply: ScriptReply): LoginStoreOutcome<ScriptReply> {
  const outcome = reply.outcome(['created', 'enrolled', 'stale_login', 'needs_retry']);
  switch (outcome) {
    case 'created':
    case 'enrolled':
      return { outcome: 'created', stored: reply };
    case 'stale_login':
      return { outcome };
    case 'needs_retry':
      return { outcome, nowMs: reply.integer(), tookMs: reply.tookMs };
  }
}
