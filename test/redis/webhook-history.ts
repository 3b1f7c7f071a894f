import type { AttemptOutcome, ClaimedAttempt } from '@latchhook/core/storage';
import fc from 'fast-check';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import {
  COMPLETE,
  claimOnce,
  DELIVERED,
  EXHAUSTED,
  endOf,
  GONE,
  notStarted,
  retryIn,
} from './claim-samples.ts';
import type { openWebhookStores } from './open-webhook-stores.ts';

const STEPS = 100;
const HOUR_MS = 3_600_000;
/** Short enough that some histories outlive it. */
const RETENTION_MS = 2 * HOUR_MS;

const OUTCOMES: readonly AttemptOutcome[] = [
  DELIVERED,
  ...[retryIn(0), retryIn(0), retryIn(0), retryIn(700)],
  { kind: 'not_counted', delayMs: 0 },
  EXHAUSTED,
  GONE,
];

/** Random operations on a webhook and its deliveries; a repeated name makes an operation more frequent. */
export const steps = fc.array(
  fc.record({
    what: fc.constantFrom(
      ...(['publish', 'publish', 'publish', 'publish', 'publish again'] as const),
      ...(['claim', 'claim', 'claim', 'complete', 'complete', 'complete'] as const),
      ...(['complete late', 'put back', 'put back', 'wait', 'wait', 'wait long'] as const),
      ...(['redeliver', 'redeliver failed', 'enable', 'change', 'list', 'count'] as const),
    ),
    nth: fc.nat({ max: 11 }),
    outcome: fc.constantFrom(...OUTCOMES),
  }),
  { minLength: STEPS, maxLength: STEPS },
);
type Step = typeof steps extends fc.Arbitrary<(infer Value)[]> ? Value : never;

type Stores = Awaited<ReturnType<typeof openWebhookStores>>;

/** A webhook on which steps are run, and the resulting keys in Redis. */
export async function openHistory(
  { webhooks, deliveries, redis, keyPrefix, clock }: Stores,
  webhookId: string,
  accountId: number,
) {
  const webhook = newWebhook(webhookId, { accountId, rateLimit: 50 });
  await webhooks.create(webhook, LIMITS);
  const root = `${keyPrefix}:{webhooks}`;
  const name = `${accountId}/${webhookId}`;
  const keyOf = (kind: string) => `${root}:${kind}:${name}`;
  let published = 0;
  const pendingAttempts: ClaimedAttempt[] = [];
  /** Kept so that one can be completed again, too late. */
  const completedAttempts: ClaimedAttempt[] = [];

  return {
    async runStep({ what, nth, outcome }: Step): Promise<void> {
      const earlierId = `${webhookId}-${Math.max(1, published - nth)}`;
      switch (what) {
        case 'publish':
        case 'publish again': {
          if (what === 'publish') published += 1;
          const id = what === 'publish' ? `${webhookId}-${published}` : earlierId;
          const bounds = { accountId, webhookId, retentionMs: RETENTION_MS, maxQueued: 5 };
          await deliveries.publish(newMessage(id, bounds));
          return;
        }
        case 'claim': {
          const caps = { maxInFlightPerWebhook: 1 + (nth % 4), maxInFlightPerAccount: 3 };
          const bounds = { limit: 1 + nth, leaseMs: 5_000, maxStalledAttempts: 2 };
          pendingAttempts.push(...(await claimOnce(deliveries, { ...bounds, ...caps })).attempts);
          return;
        }
        case 'complete':
        case 'put back':
        case 'complete late': {
          const from = what === 'complete late' ? completedAttempts : pendingAttempts;
          const [attempt] = from.splice(nth % Math.max(1, from.length), 1);
          if (attempt === undefined) return;
          const end = what === 'put back' ? notStarted(attempt) : endOf(attempt, outcome, nth * 10);
          await deliveries.complete([end], COMPLETE);
          completedAttempts.push(attempt);
          return;
        }
        case 'redeliver':
          await deliveries.redeliver({ accountId, webhookId, deliveryId: earlierId });
          return;
        case 'redeliver failed':
          await deliveries.redeliverFailed(webhook, { sinceMs: 0, limit: 1 + nth });
          return;
        case 'enable':
          await webhooks.enable(webhook);
          return;
        case 'change':
          await webhooks.change(webhook, { rateLimit: nth % 2 === 0 ? 1 + nth : 50 });
          return;
        case 'wait':
          clock.advance(nth * nth * 100);
          return;
        case 'wait long':
          if (nth > 5) clock.advance(RETENTION_MS);
          return;
        case 'list':
          await deliveries.list(webhook, { limit: 1 + nth, after: null });
          return;
        case 'count':
          await deliveries.stats();
      }
    },

    /** The counts in the hash of the webhook, and the counts of the keys themselves. */
    async readKeys() {
      const [hash, dueAtMs, leases, ofAccount, logEntries, freshEntries, retries, failed, window] =
        await Promise.all([
          redis.hgetall(keyOf('webhook')),
          redis.zscore(`${root}:due`, name),
          redis.zrange(`${root}:leases`, '0', '-1'),
          redis.hget(`${root}:inFlight`, String(accountId)),
          redis.lrange(keyOf('log'), 0, -1),
          redis.lrange(keyOf('fresh'), 0, -1),
          redis.zrange(keyOf('retries'), '0', '-1'),
          redis.zrange(keyOf('failed'), '0', '-1'),
          redis.lrange(keyOf('window'), 0, -1),
        ]);
      const idOf = (entry: string) => entry.split(' ')[1] ?? '';
      const log = logEntries.map(idOf);
      const logLeftMs = await redis.pttl(keyOf('log'));
      const texts = Object.entries(await redis.hgetall(keyOf('deliveries')));
      const newest = await redis.get(`${root}:message:${accountId}/${log.at(-1)}`);
      const expiresAtMs = Number(newest?.split(' ', 2)[1] ?? 0);
      return {
        hash,
        log,
        retries,
        failed,
        /** By delivery, the sequence in its text. */
        sequences: new Map(texts.map(([id, text]) => [id, Number(text.split(' ')[0])])),
        logLeftMs,
        isDue: dueAtMs !== null,
        inFlight: leases.filter((lease) => lease.split(' ')[5] === name).length,
        inFlightOfAccount: Number(ofAccount ?? 0),
        startsInWindow: window.reduce((sum, entry) => sum + Number(entry.split(' ')[1]), 0),
        fresh: freshEntries.map(idOf),
        /** The sequence of the first entry of the log. */
        first: Number(hash['cursor'] ?? 1) - log.length,
        newestLeftMs: expiresAtMs - clock.nowMs(),
      };
    },
  };
}
