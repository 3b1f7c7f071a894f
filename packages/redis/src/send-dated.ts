import type { ScriptReply } from './script-reply.ts';

/** When a login began, as far as that is known: arguments of the scripts that store one. See `overtaken`. */
export interface LoginAge {
  /** At the moment of sending. */
  readonly authenticationMs: number;
  /** By the time of Redis; empty where not known. */
  readonly earliestBeginMs: string;
}

export type DatedOutcome =
  | { readonly outcome: 'created'; readonly reply: ScriptReply }
  | { readonly outcome: 'superseded' };

/** One to learn the time of Redis; the others for round trips that took too long to learn it well. */
const MAX_ROUNDS = 5;

/**
 * Stores a login, unless a `revokeAll` came after it began.
 *
 * How long the command was under way, Redis cannot tell. That matters for as long as the last `revokeAll` is
 * recent: Redis then stores nothing, and answers `in_doubt` and its time. When that answer is received the
 * login is older than it was at that time, so its age says when it began at the earliest; with that the next
 * command is sure of itself, however long it takes. All other logins are stored in one round trip.
 */
export async function sendDated(
  authenticationMs: number,
  send: (age: LoginAge) => Promise<ScriptReply>,
): Promise<DatedOutcome> {
  let ageMs = authenticationMs;
  let earliestBeginMs: number | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const known = earliestBeginMs === undefined ? '' : String(earliestBeginMs);
    const reply = await send({ authenticationMs: ageMs, earliestBeginMs: known });
    const outcome = reply.outcome(['created', 'superseded', 'in_doubt']);
    if (outcome !== 'in_doubt') return { outcome, reply };
    ageMs = Math.ceil(ageMs + reply.tookMs);
    const beganMs = reply.integer() - ageMs;
    earliestBeginMs = Math.max(beganMs, earliestBeginMs ?? beganMs);
  }
  return { outcome: 'superseded' };
}
