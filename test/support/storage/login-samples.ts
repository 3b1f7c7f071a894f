import type {
  CodeAttemptLimits,
  CompleteRequest,
  NewChallenge,
  NewLogin,
  RotateRequest,
} from '@latchhook/core/storage';

const DAY_MS = 86_400_000;

export const ADA = 'user-ada';

export const AMPLE_LIMITS = { maxPerUser: 100 } as const;

export const ATTEMPT_LIMITS: CodeAttemptLimits = {
  perChallenge: 5,
  perUser: 10,
  lockMs: 900_000,
  maxLockMs: DAY_MS,
  suspendAfter: 100,
};

export function newSession(sessionId: string, change: Partial<NewLogin> = {}): NewLogin {
  return {
    userId: ADA,
    sessionId,
    scopes: ['user'],
    accountId: null,
    amr: ['pwd'],
    authTimeMs: 1_700_000_000_000,
    clientAddress: '192.0.2.1',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    idleMs: 30 * DAY_MS,
    absoluteMs: 90 * DAY_MS,
    loginAgeMs: 0,
    ...change,
  };
}

export function rotateRequest(
  generation: number,
  change: Partial<RotateRequest> = {},
): RotateRequest {
  return {
    userId: ADA,
    sessionId: 's1',
    generation,
    graceMs: 60_000,
    idleMs: 30 * DAY_MS,
    replayLimit: 256,
    rollForwardLimit: 1000,
    ...change,
  };
}

export function newChallenge(challengeId: string, userId: string = ADA): NewChallenge {
  const authTimeMs = 1_700_000_000_000;
  const first = { amr: ['pwd'], actor: 'user' } as const;
  const context = { accountId: null, version: 'v2', authTimeMs, ...first } as const;
  return { userId, challengeId, context, ttlMs: 300_000, loginAgeMs: 0 };
}

export function completeRequest(
  challengeId: string,
  sessionId: string,
  change: Partial<CompleteRequest> = {},
): CompleteRequest {
  const userId = change.userId ?? ADA;
  return {
    userId,
    challengeId,
    totpStep: 57_000_000,
    session: newSession(sessionId, { userId }),
    maxSessionsPerUser: AMPLE_LIMITS.maxPerUser,
    ...change,
  };
}
