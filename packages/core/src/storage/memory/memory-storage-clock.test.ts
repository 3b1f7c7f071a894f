import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStorage } from './memory-storage.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const RETRY_DELAY_MS = 5_000;
const ref = { userId: 'ada', sessionId: 's1' };
const login = {
  ...ref,
  scopes: ['user'],
  accountId: null,
  amr: ['pwd'],
  authTimeMs: NOW_MS,
  clientAddress: null,
  userAgent: null,
  idleMs: HOUR_MS,
  absoluteMs: HOUR_MS,
  loginAgeMs: 0,
} as const;
const webhook = { accountId: 1, webhookId: 'wh_1' };

const time = { nowMs: NOW_MS, monotonicMs: 0 };
beforeEach(() => void Object.assign(time, { nowMs: NOW_MS, monotonicMs: 0 }));

function open() {
  return memoryStorage({
    clock: { nowMs: () => time.nowMs, monotonicMs: () => time.monotonicMs },
  });
}

/** Sets the wall clock by `byMs`, while `passedMs` pass. */
function setClock(byMs: number, passedMs: number): void {
  time.nowMs += byMs + passedMs;
  time.monotonicMs += passedMs;
}

describe.each([
  ['back', -HOUR_MS],
  ['ahead', HOUR_MS],
])('memoryStorage, while the wall clock is set %s by an hour', (_direction, byMs) => {
  it('ends sessions on time', async () => {
    const { sessions } = open();
    await sessions.create(login, { maxPerUser: 10 });
    setClock(byMs, HOUR_MS - 1);
    expect(await sessions.isLive(ref)).toBe(true);
    setClock(0, 1);
    expect(await sessions.isLive(ref)).toBe(false);
  });

  it('ends challenges on time, and returns wall-clock times of the attempt and of a lock', async () => {
    const { challenges } = open();
    const context = {
      accountId: null,
      version: 'v2',
      authTimeMs: 0,
      amr: [],
      actor: 'user',
    } as const;
    const challenge = { userId: 'ada', challengeId: 'c1' };
    const limits = { perChallenge: 5, perUser: 1, lockMs: 1, maxLockMs: 1, suspendAfter: 100 };
    await challenges.create({ ...challenge, context, ttlMs: HOUR_MS, loginAgeMs: 0 });
    setClock(byMs, HOUR_MS - 1);
    expect(await challenges.reserveAttempt(challenge, limits)).toMatchObject({
      outcome: 'reserved',
      nowMs: time.nowMs,
      lockedUntilMs: time.nowMs + 1,
    });
    setClock(0, 1);
    expect((await challenges.reserveAttempt(challenge, limits)).outcome).toBe('gone');
  });

  it('ends enrolments on time, and records the wall-clock time at which a factor was confirmed', async () => {
    const { mfa } = open();
    const enrolment = {
      sessionId: 's1',
      enrolmentId: 'e1',
      encryptedSecret: 'encrypted',
      ttlMs: HOUR_MS,
    };
    await mfa.begin('ada', enrolment);
    await mfa.begin('bob', enrolment);
    setClock(byMs, HOUR_MS - 1);
    await mfa.confirm('ada', { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes: [] });
    expect((await mfa.find('ada'))?.confirmedAtMs).toBe(time.nowMs);
    setClock(0, 1);
    expect(await mfa.findPending('bob', 's1')).toBeNull();
  });

  it('starts a retry when it is due', async () => {
    const { webhooks, deliveries } = open();
    await webhooks.create(
      {
        ...webhook,
        event: 'Contact.Added',
        url: 'https://receiver.example',
        rateLimit: 5,
        rateLimitPeriod: 'second',
        encryptedSecret: 'encrypted',
      },
      { maxPerAccount: 10 },
    );
    await deliveries.publish({
      accountId: 1,
      messageId: 'm1',
      event: 'Contact.Added',
      body: '{}',
      webhookId: null,
      idempotencyKey: null,
      idempotencyMs: HOUR_MS,
      retentionMs: 10 * HOUR_MS,
      maxQueued: 8,
    });
    const claim = async () => {
      const limits = {
        maxInFlightPerWebhook: 10,
        maxInFlightPerAccount: 10,
        maxStalledAttempts: 3,
      };
      return (await deliveries.claim({ limit: 1, leaseMs: 60_000, rateMarginMs: 0, ...limits }))
        .attempts;
    };
    const [attempt] = await claim();
    if (attempt === undefined) throw new Error('nothing was to be sent');
    const result = { status: 500, durationMs: 1, error: null };
    const outcome = { kind: 'retry', delayMs: RETRY_DELAY_MS } as const;
    await deliveries.complete(
      [{ ...attempt, outcome, result, backoffMs: 0, url: attempt.webhook.url }],
      {
        disableAfterMs: 100 * HOUR_MS,
      },
    );
    setClock(byMs, RETRY_DELAY_MS - 1);
    expect(await claim()).toEqual([]);
    setClock(0, 1);
    expect(await claim()).toHaveLength(1);
  });
});
