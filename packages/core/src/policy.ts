import type { CodeAttemptLimits } from './storage/challenge-store.ts';

/** How long logins live, how many a user may have, and how often a code may be tried: see `resolvePolicy`. */
export interface Policy {
  /** Lifetime of an access token for which the client requests none, seconds. */
  readonly accessTokenSeconds: number;
  /** The longest lifetime that a client can request, seconds. */
  readonly maxAccessTokenSeconds: number;
  readonly session: {
    readonly idleMs: number;
    readonly absoluteMs: number;
    readonly maxPerUser: number;
  };
  readonly rotation: {
    readonly graceMs: number;
    readonly replayLimit: number;
    readonly rollForwardLimit: number;
  };
  readonly challengeMs: number;
  readonly attempts: CodeAttemptLimits;
}

/** The longest lifetime of a token with a step-up scope, such as `auth`, seconds: it is for the time after a login. */
export const STEP_UP_SECONDS = 600;
