/** Bounds of the time at which a login began, for the transition that stores the login. */
export interface LoginAge {
  /** The age of the login when the command is sent, whole ms. */
  readonly loginAgeMs: number;
  /** The earliest time at which the login can have begun, by the server's clock, ms; `null`: unknown. */
  readonly earliestBeginMs: number | null;
}

/** The outcome of the transition that stores a login. */
export type LoginStoreOutcome<Stored> =
  | { readonly outcome: 'created'; readonly stored: Stored }
  /** The login began before the user's last `revokeAll`. Nothing was stored. */
  | { readonly outcome: 'stale_login' }
  /** The login may have begun before the user's last `revokeAll`. Nothing was stored. */
  | {
      readonly outcome: 'needs_retry';
      /** The server's time, ms. */
      readonly nowMs: number;
      /** The longest time that the call can have been pending, ms: see {@link TimedAnswer}. */
      readonly tookMs: number;
    };

/** The outcome of {@link storeLogin}. */
export type StoredLogin<Stored> = Exclude<
  LoginStoreOutcome<Stored>,
  { readonly outcome: 'needs_retry' }
>;

/**
 * The first round may be needed to learn the server's time, and further rounds if round trips were too slow to estimate
 * it well.
 */
const MAX_ROUNDS = 5;

/**
 * Stores a session or a challenge, unless a `revokeAll` has run since its login began. For authors of storages whose
 * calls take time to arrive.
 *
 * The server cannot know how long a call was pending. That matters only if the last `revokeAll` is recent: then the
 * transition stores nothing, and returns `needs_retry` with the server's time. When this response arrives, the login is
 * older than it was at the server's time, so subtracting its age gives the earliest time at which it can have begun.
 * With this bound, the next call can decide, however long it takes. All other logins are stored in one round trip.
 *
 * The transition decides as follows. The latest time at which the login can have begun is `loginAgeMs` ago; the
 * earliest is `earliestBeginMs` or, if that is unknown, `LONGEST_PENDING_MS` before the latest. `stale_login` if even
 * the latest is not after the last `revokeAll`; `needs_retry` if only the earliest is not.
 *
 * @param loginAgeMs - see {@link NewLogin}
 * @param send - makes one attempt; all attempts share one {@link CallDeadline}
 * @returns `stale_login` also if five attempts were undecided: in doubt, the login is rejected
 */
export async function storeLogin<Stored>(
  loginAgeMs: number,
  send: (age: LoginAge) => Promise<LoginStoreOutcome<Stored>>,
): Promise<StoredLogin<Stored>> {
  let ageMs = loginAgeMs;
  let earliestBeginMs: number | null = null;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const attempt: LoginStoreOutcome<Stored> = await send({
      loginAgeMs: ageMs,
      earliestBeginMs,
    });
    if (attempt.outcome !== 'needs_retry') return attempt;
    ageMs = Math.ceil(ageMs + attempt.tookMs);
    const beganMs = attempt.nowMs - ageMs;
    earliestBeginMs = Math.max(beganMs, earliestBeginMs ?? beganMs);
  }
  return { outcome: 'stale_login' };
}
