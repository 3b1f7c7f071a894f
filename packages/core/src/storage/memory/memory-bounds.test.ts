import { describe, expect, it } from 'vitest';
import type { NewChallenge } from '../challenge-store.ts';
import { MemoryEngine } from '../engine/memory-engine.ts';
import { storageOn } from '../engine/storage-on.ts';
import { CLAIM, newMessage, newWebhook } from '../engine/webhooks/delivery-samples.test.support.ts';
import type { NewLogin } from '../session-store.ts';
import { memoryStorage } from './memory-storage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function setUp() {
  const clock = { ms: Date.UTC(2026, 0, 1), nowMs: () => clock.ms };
  const engine = new MemoryEngine(clock);
  const advance = (ms: number) => {
    clock.ms += ms;
  };
  return { engine, advance, ...storageOn(engine, { clock }) };
}

function newSession(userId: string, sessionId: string): NewLogin {
  return {
    userId,
    sessionId,
    scopes: ['user'],
    accountId: null,
    amr: ['pwd'],
    authTimeMs: 0,
    clientAddress: null,
    userAgent: null,
    loginAgeMs: 0,
    idleMs: DAY_MS,
    absoluteMs: 3 * DAY_MS,
  };
}

const limits = { maxPerUser: 10 };

function newChallenge(challengeId: string): NewChallenge {
  const context = {
    accountId: null,
    version: 'v2',
    authTimeMs: 0,
    amr: ['pwd'],
    actor: 'user',
  } as const;
  return { userId: 'ada', challengeId, context, ttlMs: 1000, loginAgeMs: 0 };
}

function newToken(userId: string, tokenId: string, ttlMs: number) {
  return {
    userId,
    tokenId,
    name: 'deploy',
    prefix: 'lh_pat_0aZ9',
    scopes: ['user'] as const,
    accountId: null,
    tokenHash: `hash of ${tokenId}`,
    ttlMs,
  };
}

// Each bound is above the rows of all that is live at the end, and far below those of all that was stored.
describe('the number of rows in the memory storage', () => {
  it('grows only with live sessions if each user logs in once', async () => {
    const { engine, sessions, advance } = setUp();
    for (let i = 0; i < 5_000; i += 1) {
      await sessions.create(newSession(`user ${i}`, 's'), limits);
      advance(DAY_MS / 100);
    }
    expect(engine.size).toBeLessThan(300);
  });

  it('grows only with live sessions and challenges if one user logs in repeatedly', async () => {
    const { engine, sessions, challenges, advance } = setUp();
    for (let i = 0; i < 1_000; i += 1) {
      const session = newSession('ada', `s${i}`);
      await sessions.create(session, limits);
      await sessions.revoke(session);
      await challenges.create(newChallenge(`c${i}`));
      advance(60_000);
    }
    expect(engine.size).toBeLessThan(100);
  });

  it('includes the last TOTP step of a user after 1,000 days, so that a used code stays rejected', async () => {
    const { engine, sessions, challenges, advance } = setUp();
    const completeChallenge = (challengeId: string, sessionId: string) =>
      challenges.complete({
        userId: 'ada',
        challengeId,
        totpStep: 9,
        maxSessionsPerUser: 10,
        session: newSession('ada', sessionId),
      });
    await challenges.create(newChallenge('c1'));
    expect((await completeChallenge('c1', 's1')).outcome).toBe('completed');
    for (let day = 0; day < 1_000; day += 1) {
      advance(DAY_MS);
      await sessions.create(newSession(`user ${day}`, 's'), limits);
    }
    expect(engine.size).toBeLessThan(10);
    await challenges.create(newChallenge('c2'));
    expect((await completeChallenge('c2', 's2')).outcome).not.toBe('completed');
  });

  it('includes for an hour the revocation of all sessions of a user who has none', async () => {
    const { engine, sessions, advance } = setUp();
    const loginAgeMs = HOUR_MS - 1;
    await sessions.revokeAll('ada');
    advance(loginAgeMs);
    const staleLogin = { ...newSession('ada', 's'), loginAgeMs };
    expect(await sessions.create(staleLogin, limits)).toEqual({ outcome: 'stale_login' });
    advance(1);
    await sessions.list('another user'); // Any call deletes expired rows.
    expect(engine.size).toBe(0);
  });

  it('excludes revoked sessions after the time at which they would have expired', async () => {
    const { engine, sessions, advance } = setUp();
    await sessions.create(newSession('ada', 's1'), limits);
    await sessions.revokeAll('ada');
    advance(DAY_MS);
    await sessions.list('another user'); // Any call deletes expired rows.
    expect(engine.size).toBe(0);
  });

  it('grows only with pending enrolments if enrolments are abandoned', async () => {
    const { engine, mfa, advance } = setUp();
    for (let i = 0; i < 1_000; i += 1) {
      const enrolment = { sessionId: 's1', enrolmentId: `e${i}`, encryptedSecret: 'encrypted' };
      await mfa.begin(`user ${i}`, { ...enrolment, ttlMs: 1_000 });
      advance(100);
    }
    expect(engine.size).toBeLessThan(20);
  });

  it('grows only with live tokens if each user creates one', async () => {
    const { engine, personalAccessTokens: tokens, advance } = setUp();
    for (let i = 0; i < 2_000; i += 1) {
      await tokens.create(newToken(`user ${i}`, `t${i}`, DAY_MS), { maxPerUser: 100 });
      advance(HOUR_MS);
    }
    expect(engine.size).toBeLessThan(100);
  });

  it('grows only with unexpired tokens if a user revokes each of them', async () => {
    const { engine, personalAccessTokens: tokens, advance } = setUp();
    for (let i = 0; i < 2_000; i += 1) {
      const token = newToken('ada', `t${i}`, DAY_MS);
      await tokens.create(token, { maxPerUser: 100 });
      await tokens.revoke(token);
      advance(60_000);
    }
    expect(engine.size).toBeLessThan(2_000);
  });
});

describe('delivered deliveries in the memory storage', () => {
  const CREATION = { maxPerAccount: 2 };

  async function setUpDeliveries(maxDelivered: number, webhookIds = ['w1', 'w2']) {
    const { webhooks, deliveries } = memoryStorage({ maxDelivered });
    for (const webhookId of webhookIds) await webhooks.create(newWebhook(webhookId), CREATION);
    const publish = (messageId: string) => deliveries.publish(newMessage(messageId));
    const deliver = async () => {
      const { attempts } = await deliveries.claim(CLAIM);
      const ends = attempts.map((attempt) => ({
        ...attempt,
        backoffMs: 0,
        url: attempt.webhook.url,
        outcome: { kind: 'delivered' } as const,
        result: { status: 200, durationMs: 1, error: null },
      }));
      await deliveries.complete(ends, { disableAfterMs: HOUR_MS });
    };
    const listIds = async (webhookId: string) => {
      const page = await deliveries.list({ accountId: 1, webhookId }, { limit: 100, after: null });
      return page?.map(({ deliveryId }) => deliveryId);
    };
    return { deliveries, publish, deliver, listIds };
  }

  it('are limited to the newest maxDelivered over all webhooks', async () => {
    const { publish, deliver, listIds } = await setUpDeliveries(6);
    for (let i = 1; i <= 9; i += 1) {
      await publish(`m${i}`);
      await deliver();
    }
    await publish('waiting');
    expect(await listIds('w1')).toEqual(['waiting', 'm9', 'm8', 'm7']);
    expect(await listIds('w2')).toEqual(['waiting', 'm9', 'm8', 'm7']);
  });

  it('let a message be published again after they are deleted', async () => {
    const { publish, deliver } = await setUpDeliveries(2);
    await publish('m1');
    await deliver();
    await publish('m2');
    await deliver();
    expect((await publish('m2')).outcome).toBe('duplicate');
    expect((await publish('m1')).outcome).toBe('published');
  });

  it('are not deleted during a redelivery, even beyond maxDelivered', async () => {
    const { deliveries, publish, deliver, listIds } = await setUpDeliveries(1, ['w1']);
    await publish('m1');
    await deliver();
    await deliveries.redeliver({ accountId: 1, webhookId: 'w1', deliveryId: 'm1' });
    await publish('m2');
    const { attempts } = await deliveries.claim({ ...CLAIM, limit: 1 });
    expect(attempts.map(({ deliveryId }) => deliveryId)).toEqual(['m1']);
    // Delivers `m2`, while `m1` is in flight again.
    await deliver();
    expect(await listIds('w1')).toEqual(['m2', 'm1']);
  });

  it('count once, as the newest, however often they are redelivered', async () => {
    const { deliveries, publish, deliver, listIds } = await setUpDeliveries(2, ['w1']);
    for (const id of ['m1', 'm2']) {
      await publish(id);
      await deliver();
    }
    for (let i = 0; i < 5; i += 1) {
      await deliveries.redeliver({ accountId: 1, webhookId: 'w1', deliveryId: 'm1' });
      await deliver();
    }
    expect(await listIds('w1')).toEqual(['m2', 'm1']);
    await publish('m3');
    await deliver();
    expect(await listIds('w1')).toEqual(['m3', 'm1']);
  });
});

it('the memory storage copies the arrays of factors and tokens', async () => {
  const { mfa, personalAccessTokens: tokens } = setUp();
  const codes = ['first', 'second'];
  const enrolment = { sessionId: 's1', enrolmentId: 'e1', encryptedSecret: 'encrypted' };
  await mfa.begin('ada', { ...enrolment, ttlMs: 1_000 });
  await mfa.confirm('ada', { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes: codes });
  codes.push('third');
  expect(await mfa.consumeRecoveryCode('ada', 'third')).toBe(false);
  const scopes = ['user' as const];
  await tokens.create({ ...newToken('ada', 't1', 1_000), scopes }, { maxPerUser: 1 });
  scopes.pop();
  expect((await tokens.list('ada', { limit: 1, after: null }))[0]?.scopes).toEqual(['user']);
});
