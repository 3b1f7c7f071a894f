import type {
  ChallengeRef,
  CodeAttemptLimits,
  CompleteRequest,
  NewChallenge,
  NewLogin,
  RotateRequest,
  SessionRef,
} from '@latchhook/core/storage';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The user of every test case that needs only one. */
export const ADA = 'user-ada';

/** Another user, who must not be affected. */
export const GRACE = 'user-grace';

/** The defaults of Latchhook. */
export const DEFAULTS = {
  idleMs: 30 * DAY_MS,
  absoluteMs: 90 * DAY_MS,
  graceMs: MINUTE_MS,
  replayLimit: 256,
  rollForwardLimit: 1000,
  challengeTtlMs: 5 * MINUTE_MS,
} as const;

export const ATTEMPT_LIMITS: CodeAttemptLimits = {
  perChallenge: 5,
  perUser: 10,
  lockMs: 15 * MINUTE_MS,
  maxLockMs: DAY_MS,
  suspendAfter: 100,
};

/** A cap that only the test cases of the cap reach. */
export const AMPLE_LIMITS = { maxPerUser: 100 } as const;

export function newSession(sessionId: string, change: Partial<NewLogin> = {}): NewLogin {
  return {
    userId: ADA,
    sessionId,
    scopes: ['user', 'admin'],
    accountId: 7,
    amr: ['pwd', 'otp', 'mfa'],
    authTimeMs: 1_700_000_000_000,
    clientAddress: '2001:db8::1',
    userAgent: 'Mozilla/5.0 (X11; Linux) "quoted" ünï \u{1F512}',
    idleMs: DEFAULTS.idleMs,
    absoluteMs: DEFAULTS.absoluteMs,
    loginAgeMs: 0,
    ...change,
  };
}

/** A request to rotate the refresh token of `generation`. */
export function rotateRequest(
  generation: number,
  { userId, sessionId }: SessionRef,
  change: Partial<RotateRequest> = {},
): RotateRequest {
  const { graceMs, idleMs, replayLimit, rollForwardLimit } = DEFAULTS;
  return {
    userId,
    sessionId,
    generation,
    graceMs,
    idleMs,
    replayLimit,
    rollForwardLimit,
    ...change,
  };
}

export function newChallenge(
  challengeId: string,
  change: Partial<NewChallenge> = {},
): NewChallenge {
  return {
    userId: ADA,
    challengeId,
    context: {
      accountId: 7,
      version: 'v1',
      authTimeMs: 1_700_000_000_000,
      amr: ['pwd'],
      actor: 'user',
    },
    ttlMs: DEFAULTS.challengeTtlMs,
    loginAgeMs: 0,
    ...change,
  };
}

/** A request to complete a challenge with a right TOTP code, or with a recovery code if `totpStep` is `null`. */
export function completeRequest(
  { userId, challengeId }: ChallengeRef,
  sessionId: string,
  totpStep: number | null,
  change: Partial<CompleteRequest> = {},
): CompleteRequest {
  return {
    userId,
    challengeId,
    totpStep,
    session: newSession(sessionId, { userId }),
    maxSessionsPerUser: AMPLE_LIMITS.maxPerUser,
    ...change,
  };
}
