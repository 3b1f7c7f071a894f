import type { FunctionAnswer } from './function-answer.ts';

/** When a login began, as far as that is known: arguments of the functions that store one. See `overtaken`. */
export interface LoginAge {
  /** At the moment of sending. */
  readonly authenticationMs: number;
  /** By the time of the server; `null` where not known. */
  readonly earliestBeginMs: number | null;
}

export type DatedOutcome =
  | { readonly outcome: 'created'; readonly answer: FunctionAnswer }
  | { readonly outcome: 'superseded' };

/** One to learn the time of the server; the others for round trips that took too long to learn it well. */
const MAX_ROUNDS = 5;

/**
 * Stores a login, unless a `revokeAll` came after it began.
 *
 * How long the call was under way, the server cannot tell. That matters for as long as the last `revokeAll` is
 * recent: the function then stores nothing, and answers `in_doubt` and its time. When that answer is received
 * the login is older than it was at that time, so its age says when it began at the earliest; with that the
 * next call is sure of itself, however long it takes. All other logins are stored in one round trip.
 */
export async function callDated(
  authenticationMs: number,
  call: (age: LoginAge) => Promise<FunctionAnswer>,
): Promise<DatedOutcome> {
  let ageMs = authenticationMs;
  let earliestBeginMs: number | null = null;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer: FunctionAnswer = await call({ authenticationMs: ageMs, earliestBeginMs });
    const outcome = answer.outcome(['created', 'superseded', 'in_doubt']);
    if (outcome === 'superseded') return { outcome };
    if (outcome === 'created') return { outcome, answer };
    ageMs = Math.ceil(ageMs + answer.tookMs);
    const beganMs = answer.integer('nowMs') - ageMs;
    earliestBeginMs = Math.max(beganMs, earliestBeginMs ?? beganMs);
  }
  return { outcome: 'superseded' };
}
