import { createAuth, memoryStorage } from '@latchhook/core';
import {
  type LimiterFactory,
  type LimiterOptions,
  originOf,
  type Storage,
} from '@latchhook/core/storage';
import { inProcessDelivery } from '@latchhook/delivery';
import type { TurnableClock } from '@latchhook/testkit';
import { EVERY_MINUTE, newToken } from '../support/storage/credential-samples.ts';
import { everyTransition } from '../support/storage/every-transition.ts';
import { ROOMY } from '../support/storage/login-samples.ts';
import {
  DAY_MS,
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';

type WholeStorage = Required<Storage>;

/**
 * Takes a whole storage through its transitions, so that everything that it ever keeps is there after one of them.
 *
 * @param clock - that of the storage
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

/** An app that starts, looks whether it is well, and stays. */
async function startUp({ sessions }: WholeStorage, look: () => Promise<void>): Promise<void> {
  const startup = originOf(sessions)?.startup;
  if (startup === undefined) throw new Error('the storage has no startup');
  await startup.findings(['sessions', 'challenges']);
  await startup.ping();
  await look();
  await startup.join({ instanceId: 'i1', configuration: '{"issuer":"..."}', ttlMs: 60_000 });
  await look();
}

/** The same storage, except that a look follows each call. */
function followedBy(look: () => Promise<void>, storage: WholeStorage): WholeStorage {
  const followed = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const answer: unknown = await Reflect.apply(member, target, args);
          await look();
          return answer;
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
    claims: followed(storage.claims),
  };
}

/** The factor of a user is closed until somebody unlocks it. */
async function suspend({ challenges }: WholeStorage): Promise<void> {
  const userId = 'user-eve';
  const first = { amr: ['pwd'], actor: 'user' } as const;
  const context = { accountId: null, version: 'v2', authTimeMs: 0, ...first } as const;
  const challenge = { userId, challengeId: 'c1', context, ttlMs: 300_000, authenticationMs: 0 };
  await challenges.create(challenge);
  const limits = { perChallenge: 5, perUser: 1, lockMs: 1000, maxLockMs: 1000, suspendAfter: 1 };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await challenges.reserveAttempt(challenge, limits);
  }
}

async function useEveryLimiter({ limiters }: WholeStorage): Promise<void> {
  const made: LimiterOptions[] = [];
  const recording: LimiterFactory = (options) => {
    made.push(options);
    return limiters(options);
  };
  // An app with all that counts anything.
  const auth = createAuth({
    issuer: 'http://localhost:3000',
    users: { findByUsername: async () => null, findById: async () => null },
    storage: { ...memoryStorage(), limiters: recording },
    mfa: { enrolment: true },
    webhooks: { delivery: inProcessDelivery() },
  });
  await auth.close();
  for (const options of made) await limiters(options).penalty('counted');
}

async function useCredentials({ personalAccessTokens, mfa }: WholeStorage): Promise<void> {
  await personalAccessTokens.create(newToken('t1'), ROOMY);
  await personalAccessTokens.create(newToken('t2'), ROOMY);
  await personalAccessTokens.use('hash of t1', EVERY_MINUTE);
  await personalAccessTokens.revoke(newToken('t1'));
  const userId = 'user-ada';
  await mfa.begin(userId, {
    sessionId: 's1',
    enrolmentId: 'e1',
    sealedSecret: 'sealed-1',
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

/** Webhooks that are changed, fail, are disabled and enabled; deliveries in every state, for every reason. */
async function deliverInEveryWay(
  { webhooks, deliveries }: WholeStorage,
  clock: TurnableClock,
): Promise<void> {
  const [webhook, spare] = [newWebhook('wh_1', { rateLimit: 100 }), newWebhook('wh_2')];
  for (const each of [webhook, spare]) await webhooks.create(each, LIMITS);
  await webhooks.change(webhook, { rateLimitPeriod: 'minute' });
  await webhooks.rotateSecret(webhook, { sealed: 'sealed-2', overlapMs: DAY_MS });
  for (let nth = 0; nth < 20; nth += 1) {
    await deliveries.publish(newMessage(`m${nth}`, { idempotencyKey: `k${nth}` }));
  }
  await disableAndEnable({ webhooks, deliveries });
  const verdicts = [DELIVERED, retryAfter(0), { kind: 'dead', reason: 'exhausted' }] as const;
  for (const [nth, verdict] of verdicts.entries()) {
    const ref = deliveryTo('wh_1', `m${nth}`);
    await deliveries.start(starting(ref));
    const { result, ...rest } = finishing(ref, 1, verdict);
    await deliveries.finish({ ...rest, result: { ...result, response: 'answer' } });
  }
  await deliveries.start(starting(deliveryTo('wh_1', 'm3')));
  await deliveries.resend(deliveryTo('wh_1', 'm0'));
  await deliveries.recover(webhook, { sinceMs: 0, limit: 10 });
  await deliveries.publish(newMessage('m20', { maxQueued: 10, rateMarginMs: 1 }));
  const room = { rateMarginMs: 1, maxInFlight: 1, leaseMs: 20_000 };
  await deliveries.reschedule(webhook, { ...room, limit: 10, after: null });
  for (const id of ['m18', 'm1']) {
    await deliveries.start(starting(deliveryTo('wh_1', id), { maxInFlight: 1 }));
  }
  clock.advance(60_000);
  await deliveries.overdue({ graceMs: 0, limit: 100, putOffMs: 0 });
  // What was in flight is lost: it is counted, and then given up.
  await deliveries.start(starting(deliveryTo('wh_1', 'm3')));
  clock.advance(60_000);
  await deliveries.start(starting(deliveryTo('wh_1', 'm3'), { maxLostAttempts: 1 }));
  await webhooks.remove(spare);
}

async function disableAndEnable({
  webhooks,
  deliveries,
}: Pick<WholeStorage, 'webhooks' | 'deliveries'>): Promise<void> {
  const webhook = newWebhook('wh_2');
  const verdicts = [
    { kind: 'dead', reason: 'gone' },
    { kind: 'dead', reason: 'exhausted' },
  ] as const;
  for (const [nth, verdict] of verdicts.entries()) {
    const ref = deliveryTo('wh_2', `m${nth}`);
    await deliveries.start(starting(ref));
    // The second disables it because all it does is fail.
    await deliveries.finish(finishing(ref, 1, verdict, { disableAfterMs: 0, pauseMs: 1_000 }));
    await deliveries.start(starting(deliveryTo('wh_2', 'm2')));
    await webhooks.enable(webhook);
    await deliveries.release(webhook, { limit: 10 });
  }
}
