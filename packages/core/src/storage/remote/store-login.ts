/** When a login began, as far as that is known. Passed to the transition that stores it. */
export interface LoginAge {
  /** How long ago it began at the moment of sending, whole ms. */
  readonly authenticationMs: number;
  /** When it began at the earliest, by the server's time, ms; `null` where not known. */
  readonly earliestBeginMs: number | null;
}

/** The outcome of the transition that stores a login. */
export type LoginStoreOutcome<Stored> =
  | { readonly outcome: 'created'; readonly stored: Stored }
  /** The login began before the user's last `revokeAll`. Nothing was stored. */
  | { readonly outcome: 'stale_login' }
  /** It may have begun before the user's last `revokeAll`. Nothing was stored. */
  | {
      readonly outcome: 'needs_retry';
      /** The server's time, ms. */
      readonly nowMs: number;
      /** The longest that the call can have been pending, ms: as {@link TimedAnswer} has it. */
      readonly tookMs: number;
    };

/** What came of {@link storeLogin}. */
export type StoredLogin<Stored> = Exclude<
  LoginStoreOutcome<Stored>,
  { readonly outcome: 'needs_retry' }
>;

/** The first may be needed to learn the server's time; the others, if round trips took too long to learn it well. */
const MAX_ROUNDS = 5;

/**
 * Stores a session or a challenge, unless a `revokeAll` came after its login began. For authors of storages: it decides
 * `stale_login` where a call takes time to arrive.
 *
 * The server cannot tell how long a call was pending. That matters only if the last `revokeAll` is recent: the
 * transition then stores nothing, and returns `needs_retry` with its time. When that answer is received, the login is
 * older than it was at that time, so its age says when it began at the earliest; with that, the next call is decided,
 * however long it takes. All other logins are stored in one round trip.
 *
 * The transition decides as follows. The login began at the latest `authenticationMs` ago, and at the earliest at
 * `earliestBeginMs`, or, if that is not known, `LONGEST_PENDING_MS` before the latest. `stale_login` if the latest
 * is not after the last `revokeAll`; else `needs_retry` if the earliest is not.
 *
 * @param authenticationMs - as of {@link NewLogin}.
 * @param send - makes one attempt. All of them share one {@link CallDeadline}.
 * @returns `stale_login` also if five attempts could not settle it: in doubt, nobody is let in.
 */
export async function storeLogin<Stored>(
  authenticationMs: number,
  send: (age: LoginAge) => Promise<LoginStoreOutcome<Stored>>,
): Promise<StoredLogin<Stored>> {
  let ageMs = authenticationMs;
  let earliestBeginMs: number | null = null;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const decided: LoginStoreOutcome<Stored> = await send({
      authenticationMs: ageMs,
      earliestBeginMs,
    });
    if (decided.outcome !== 'needs_retry') return decided;
    ageMs = Math.ceil(ageMs + decided.tookMs);
    const beganMs = decided.nowMs - ageMs;
    earliestBeginMs = Math.max(beganMs, earliestBeginMs ?? beganMs);
  }
  return { outcome: 'stale_login' };
}
