import type { CodeAttemptLimits } from './storage/challenge-store.ts';

/** How long logins live, how many a user may have and how often a code may be tried, as `resolvePolicy` reads it. */
export interface Policy {
  /** Lifetime of an access token where the client asks for none, seconds. */
  readonly accessTokenSeconds: number;
  /** The longest lifetime that a client can ask for, seconds. */
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

/** How long a token with a step-up scope, such as `auth`, lives at most, seconds: it is for the time after a login. */
export const STEP_UP_SECONDS = 600;
