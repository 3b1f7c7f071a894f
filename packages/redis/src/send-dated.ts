import type { ScriptReply } from './script-reply.ts';

/** How old a login was, and when: arguments of the scripts that end in one. See `overtaken`. */
export interface LoginAge {
  readonly authenticationMs: number;
  /** By the time of Redis; empty for the moment of sending. */
  readonly agedAtMs: string;
}

export type DatedOutcome =
  | { readonly outcome: 'created'; readonly reply: ScriptReply }
  | { readonly outcome: 'superseded' };

/**
 * Stores a login, unless a `revokeAll` came after it began.
 *
 * How long the command was under way, Redis cannot tell. That matters for as long as the last `revokeAll` is
 * recent: Redis then stores nothing, and answers `in_doubt` and its time. By the receipt of that answer the
 * login's age at that time is known, a little exaggerated at most; so the second command is exact enough,
 * however long it takes itself. All other logins are stored in one round trip.
 */
export async function sendDated(
  authenticationMs: number,
  send: (age: LoginAge) => Promise<ScriptReply>,
): Promise<DatedOutcome> {
  const first = await send({ authenticationMs, agedAtMs: '' });
  const outcome = first.outcome(['created', 'superseded', 'in_doubt']);
  if (outcome !== 'in_doubt') return { outcome, reply: first };
  const second = await send({
    authenticationMs: Math.ceil(authenticationMs + first.tookMs),
    agedAtMs: String(first.integer()),
  });
  return { outcome: second.outcome(['created', 'superseded']), reply: second };
}
