import { createAuth, memoryStorage } from '@latchhook/core';
import {
  type ClaimedAttempt,
  type DeliveryStore,
  type LimiterFactory,
  type LimiterOptions,
  originOf,
  type Storage,
} from '@latchhook/core/storage';
import type { TurnableClock } from '@latchhook/testkit';
import {
  CLAIM,
  COMPLETE,
  claimOnce,
  DELIVERED,
  EXHAUSTED,
  endOf,
  GONE,
  notStarted,
  retryIn,
} from '../redis/claim-samples.ts';
import { EVERY_MINUTE, newToken } from '../support/storage/credential-samples.ts';
import { everyTransition } from '../support/storage/every-transition.ts';
import { AMPLE_LIMITS } from '../support/storage/login-samples.ts';
import {
  DAY_MS,
  deliveryTo,
  LIMITS,
  newMessage,
  newWebhook,
} from '../support/storage/webhook-samples.ts';

type WholeStorage = Required<Storage>;

/**
 * Runs every transition of a storage, so that each kind of record exists after some call.
 *
 * @param clock - the clock of the storage
 * @param look - called after each call of a store
 */
export async function everyTransitionOf(
  storage: WholeStorage,
  clock: TurnableClock,
  look: () => Promise<void>,
): Promise<void> {
  const watched = followedBy(look, storage);
  const { name, sessions, challenges } = watched;
  await everyTransition({ name, sessions, challenges }, clock, 'user-ada');
  await suspend(watched);
  await useEveryLimiter(watched);
  await useCredentials(watched);
  await deliverInEveryWay(watched, clock);
  await startUp(storage, look);
}

/** Starts an app and checks its health. */
async function startUp({ sessions }: WholeStorage, look: () => Promise<void>): Promise<void> {
  const startup = originOf(sessions)?.startup;
  if (startup === undefined) throw new Error('the storage has no startup');
  await startup.findings(['sessions', 'challenges']);
  await startup.ping();
  await look();
  await startup.join({ instanceId: 'i1', configuration: '{"issuer":"..."}', ttlMs: 60_000 });
  await look();
}

/** The storage with a `look` after each call. */
function followedBy(look: () => Promise<void>, storage: WholeStorage): WholeStorage {
  const followed = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const result: unknown = await Reflect.apply(member, target, args);
          await look();
          return result;
        };
      },
    });
  return {
    name: storage.name,
    sessions: followed(storage.sessions),
    challenges: followed(storage.challenges),
    limiters: (options) => followed(storage.limiters(options)),
    personalAccessTokens: followed(storage.personalAccessTokens),
    mfa: followed(storage.mfa),
    webhooks: followed(storage.webhooks),
    deliveries: followed(storage.deliveries),
  };
}

/** Suspends the factor of a user by wrong codes. */
async function suspend({ challenges }: WholeStorage): Promise<void> {
  const userId = 'user-eve';
  const first = { amr: ['pwd'], actor: 'user' } as const;
  const context = { accountId: null, version: 'v2', authTimeMs: 0, ...first } as const;
  const challenge = { userId, challengeId: 'c1', context, ttlMs: 300_000, loginAgeMs: 0 };
  await challenges.create(challenge);
  const limits = { perChallenge: 5, perUser: 1, lockMs: 1000, maxLockMs: 1000, suspendAfter: 1 };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await challenges.reserveAttempt(challenge, limits);
  }
}

async function useEveryLimiter({ limiters }: WholeStorage): Promise<void> {
  const limiterOptions: LimiterOptions[] = [];
  const recording: LimiterFactory = (options) => {
    limiterOptions.push(options);
    return limiters(options);
  };
  // An app with every limiter.
  const auth = createAuth({
    issuer: 'http://localhost:3000',
    users: { findByUsername: async () => null, findById: async () => null },
    storage: { ...memoryStorage(), limiters: recording },
    mfa: { enrolment: true },
    webhooks: { worker: false },
  });
  await auth.close();
  for (const options of limiterOptions) await limiters(options).penalty('counted');
  const lockRule = { keyPrefix: 'throttle:lock', every: 1, seconds: [60] } as const;
  const streak = limiters({ keyPrefix: 'throttle:streak', duration: 60 });
  await streak.penaltyWithLock('counted', lockRule);
}

async function useCredentials({ personalAccessTokens, mfa }: WholeStorage): Promise<void> {
  await personalAccessTokens.create(newToken('t1'), AMPLE_LIMITS);
  await personalAccessTokens.create(newToken('t2'), AMPLE_LIMITS);
  await personalAccessTokens.use('hash of t1', EVERY_MINUTE);
  await personalAccessTokens.revoke(newToken('t1'));
  const userId = 'user-ada';
  await mfa.begin(userId, {
    sessionId: 's1',
    enrolmentId: 'e1',
    encryptedSecret: 'encrypted-1',
    ttlMs: 600_000,
  });
  await mfa.confirm(userId, {
    sessionId: 's1',
    enrolmentId: 'e1',
    recoveryCodeHashes: ['code 1', 'code 2'],
  });
  await mfa.consumeRecoveryCode(userId, 'code 1');
  await mfa.replaceRecoveryCodes(userId, ['code 3']);
  await mfa.removeEnrolled(userId, 'another');
}

/** The delay and the backoff after an attempt, ms. */
const RETRY_MS = 5;

/** Changes, disables and enables webhooks, and brings deliveries into every state for every reason. */
async function deliverInEveryWay(
  { webhooks, deliveries }: WholeStorage,
  clock: TurnableClock,
): Promise<void> {
  const [webhook, spare] = [newWebhook('wh_1', { rateLimit: 100 }), newWebhook('wh_2')];
  for (const each of [webhook, spare]) await webhooks.create(each, LIMITS);
  await webhooks.rotateSecret(webhook, { encrypted: 'encrypted-2', overlapMs: DAY_MS });
  for (let i = 0; i < 20; i += 1) {
    await deliveries.publish(newMessage(`m${i}`, { idempotencyKey: `k${i}` }));
  }
  // Reaches the limits of attempts in flight per webhook and per account.
  const first = await claimOnce(deliveries, { maxInFlightPerWebhook: 4, maxInFlightPerAccount: 6 });
  await endInEveryWay(deliveries, first.attempts);
  clock.advance(RETRY_MS);
  // One of these is a retry. Later claims take stalled attempts first.
  for (let i = 0; i < 4; i += 1) await claimOnce(deliveries, { limit: 1 });
  // The attempts in flight stall: they are counted, and finally given up.
  for (const maxStalledAttempts of [2, 2, 1]) {
    await claimOnce(deliveries, { limit: 5, maxStalledAttempts });
    clock.advance(CLAIM.leaseMs);
  }
  await disableAndEnable({ webhooks, deliveries });
  await deliveries.redeliver(deliveryTo('wh_1', 'm0'));
  await deliveries.redeliverFailed(webhook, { sinceMs: 0, limit: 2 });
  for (const id of ['m20', 'm21']) await deliveries.publish(newMessage(id, { maxQueued: 1 }));
  await deliveries.stats();
  await deliveries.list(webhook, { limit: 10, after: null });
  await webhooks.change(webhook, { rateLimitPeriod: 'minute' });
  await webhooks.remove(spare);
  clock.advance(7 * DAY_MS);
  // Some publications delete expired records.
  for (let i = 22; i < 40; i += 1) await deliveries.publish(newMessage(`m${i}`));
}

async function endInEveryWay(
  deliveries: DeliveryStore,
  attempts: readonly ClaimedAttempt[],
): Promise<void> {
  const outcomes = [
    DELIVERED,
    retryIn(RETRY_MS),
    { kind: 'not_counted', delayMs: RETRY_MS },
    EXHAUSTED,
  ] as const;
  const ends = attempts.map((attempt, i) => {
    const outcome = outcomes[i];
    return outcome === undefined ? notStarted(attempt) : endOf(attempt, outcome, RETRY_MS);
  });
  await deliveries.complete(ends, COMPLETE);
}

/** Disables a webhook by 410, and another by days of failures; then enables them. */
async function disableAndEnable({
  webhooks,
  deliveries,
}: Pick<WholeStorage, 'webhooks' | 'deliveries'>): Promise<void> {
  for (const outcome of [GONE, EXHAUSTED]) {
    const { attempts } = await claimOnce(deliveries);
    const first = attempts.find(({ webhookId }) => webhookId === 'wh_2');
    const ends = attempts.map((each) => (each === first ? endOf(each, outcome) : notStarted(each)));
    await deliveries.complete(ends, { ...COMPLETE, disableAfterMs: 0 });
    await webhooks.enable(newWebhook('wh_2'));
  }
}
