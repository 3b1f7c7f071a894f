import { setTimeout as elapsed } from 'node:timers/promises';
import type { ClaimedAttempt } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it } from 'vitest';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { claimOnce, completeAll, DELIVERED, idsOf } from './claim-samples.ts';

const servers = [
  ['one Redis', { isThere: true, connectOnce: () => connect() }],
  [
    'a Redis Cluster',
    { isThere: inject('redisClusterNodes').length > 0, connectOnce: () => connectCluster() },
  ],
] as const;

describe.each(servers)('four processes on %s', (_, { isThere, connectOnce }) => {
  function openFour() {
    const keyPrefix = uniquePrefix();
    const open = () =>
      withWebhooks(redisStorage(connectOnce(), { keyPrefix, deadlineMs: PATIENT_MS }));
    return [open(), open(), open(), open()] as const;
  }

  it.skipIf(!isThere)(
    'start attempts in order, and never more than the rate limit in any window',
    async () => {
      const stores = openFour();
      const total = 60;
      const rateLimit = 20;
      await stores[0].webhooks.create(newWebhook('wh_1', { rateLimit }), LIMITS);
      const ids = Array.from({ length: total }, (_, nth) => `m${nth}`);
      for (const id of ids) await stores[0].deliveries.publish(newMessage(id));

      const started: ClaimedAttempt[] = [];
      const calls = [0, 0, 0, 0];
      const work = async ({ deliveries }: (typeof stores)[number], nth: number) => {
        while (started.length < total) {
          calls[nth] = (calls[nth] ?? 0) + 1;
          const { attempts, nextInMs } = await claimOnce(deliveries, { limit: 7 });
          started.push(...attempts);
          if (attempts.length > 0) await completeAll(deliveries, attempts, DELIVERED);
          if (nextInMs !== 0) await elapsed(Math.min(nextInMs ?? 1_000, 1_000));
        }
      };
      await Promise.all(stores.map(work));

      started.sort((a, b) => a.claimedAtMs - b.claimedAtMs || a.sequence - b.sequence);
      expect(idsOf(started)).toEqual(ids);
      const atMs = started.map(({ claimedAtMs }) => claimedAtMs);
      const tooSoon = atMs.filter((ms, nth) => ms - (atMs[nth - rateLimit] ?? 0) < 1000);
      expect(tooSoon).toEqual([]);
      // Each process waits until `nextInMs`, with a few extra claims as timers may fire early.
      for (const count of calls) expect(count).toBeLessThan(total);
    },
  );
});
