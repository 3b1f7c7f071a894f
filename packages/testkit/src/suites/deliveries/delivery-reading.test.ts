import type { DeliveryStore, ListedDelivery, Page } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyClaims,
  faultyListEntries,
  faultyMessages,
} from '../../self-test/faulty-deliveries.ts';
import { faultyDeliveries, faultyResults } from '../../self-test/faulty-storage.ts';
import { deliveryReading } from './delivery-reading.ts';

const ENDLESS_MS = 10 ** 12;
type List = DeliveryStore['list'];

const faultyList = (change: (list: List) => List) =>
  faultyDeliveries((deliveries) => ({ list: change(deliveries.list) }));
const faultyPages = (change: (page: Page) => Partial<Page>) =>
  faultyList((list) => (ref, page) => list(ref, { ...page, ...change(page) }));
const faultyStats = (change: (stats: Awaited<ReturnType<DeliveryStore['stats']>>) => object) =>
  faultyResults('deliveries', 'stats', (stats) => ({ ...stats, ...change(stats) }));
const faultyRetention = (change: (retentionMs: number) => number) =>
  faultyMessages(({ retentionMs }) => ({ retentionMs: change(retentionMs) }));

/** Retains a message for the time that `pick` chooses among the retention times of all messages so far. */
const chooseRetention = (pick: (...retentionMs: readonly number[]) => number) =>
  faultyDeliveries((deliveries) => {
    const everRequested: number[] = [];
    return {
      publish: (message) => {
        everRequested.push(message.retentionMs);
        return deliveries.publish({ ...message, retentionMs: pick(...everRequested) });
      },
    };
  });

/** @param change - Gets the right age and the time since the last retry was due, which is negative before it is. */
const faultyAges = (change: (ageMs: number, sinceRetryMs: number) => number) =>
  faultyDeliveries((deliveries, { clock }) => {
    let retryAtMs = Number.POSITIVE_INFINITY;
    return {
      complete: (ends, limits) => {
        for (const { outcome } of ends) {
          if (outcome.kind === 'retry') retryAtMs = clock.nowMs() + outcome.delayMs;
        }
        return deliveries.complete(ends, limits);
      },
      stats: async () => {
        const { pending, oldestDueAgeMs } = await deliveries.stats();
        return { pending, oldestDueAgeMs: change(oldestDueAgeMs, clock.nowMs() - retryAtMs) };
      },
    };
  });

expectWebhookFaultsNoticed(deliveryReading, {
  'lists deliveries newest first, page by page': {
    'lists the oldest first': faultyList(
      (list) => async (ref, page) => (await list(ref, page))?.toReversed() ?? null,
    ),
    'repeats the last delivery of a page on the next': faultyPages(({ after }) => ({
      after: after && after + 1,
    })),
    'skips a delivery between pages': faultyPages(({ after }) => ({ after: after && after - 1 })),
    'lists one delivery too many per page': faultyPages(({ limit }) => ({ limit: limit + 1 })),
  },
  'returns null as the list of a webhook that is unknown or of another account': {
    'returns an empty list for an unknown webhook': faultyList(
      (list) => async (ref, page) => (await list(ref, page)) ?? [],
    ),
    'ignores the account': faultyList(
      (list) => (ref, page) => list({ ...ref, accountId: 7 }, page),
    ),
  },
  'fills a page of a list even if deliveries in between have expired': {
    'counts expired deliveries towards the page size': faultyList((list) => async (ref, page) => {
      const [newest] = (await list(ref, { limit: 1, after: null })) ?? [];
      const from = page.after ?? (newest?.sequence ?? 0) + 1;
      const listed = await list(ref, page);
      return listed?.filter(({ sequence }) => sequence >= from - page.limit) ?? null;
    }),
    'lists expired deliveries': faultyRetention(() => ENDLESS_MS),
  },
  'lists each delivery with its state and the results of its attempts': {
    'lists another event': faultyListEntries(() => ({ event: 'Contact.Removed' })),
    'lists another createdAtMs': faultyListEntries(() => ({ createdAtMs: 0 })),
    'lists attempts without a status': faultyListEntries(({ attempts }) => ({
      attempts: attempts.map((each) => ({ ...each, status: null })),
    })),
    'lists attempts without an error': faultyListEntries(({ attempts }) => ({
      attempts: attempts.map((each) => ({ ...each, error: null })),
    })),
    'lists the end of an attempt as its start': faultyListEntries(({ attempts }) => ({
      attempts: attempts.map((each) => ({ ...each, startedAtMs: each.startedAtMs + 5 })),
    })),
    'lists no nextAttemptAtMs': faultyListEntries(() => ({ nextAttemptAtMs: null })),
    'lists a nextAttemptAtMs for queued deliveries': faultyListEntries(
      ({ createdAtMs, state, nextAttemptAtMs }) => ({
        nextAttemptAtMs: state === 'queued' ? createdAtMs : nextAttemptAtMs,
      }),
    ),
    'lists waiting deliveries as queued': faultyListEntries(({ state }) => ({
      state: state === 'waiting' ? 'queued' : state,
    })),
    'lists deliveries in flight as queued': faultyListEntries(({ state }) => ({
      state: state === 'sending' ? 'queued' : state,
    })),
    'lists no deadReason': faultyListEntries(() => ({ deadReason: null })),
  },
  'keeps the newest twenty attempts of a delivery': {
    'keeps nineteen attempts': faultyListEntries(({ attempts }) => ({
      attempts: attempts.slice(-19),
    })),
    'lists the newest attempt first': faultyListEntries(({ attempts }) => ({
      attempts: attempts.toReversed(),
    })),
    'does not log lost attempts': faultyListEntries(({ attempts }) => ({
      attempts: attempts.filter(({ error }) => error !== 'lost'),
    })),
  },
  'neither claims, lists nor resends expired deliveries': {
    'never expires deliveries': faultyRetention(() => ENDLESS_MS),
    'expires deliveries 1 ms late': faultyRetention((retentionMs) => retentionMs + 1),
    'expires deliveries 1 ms early': faultyRetention((retentionMs) => retentionMs - 1),
    'lists expired deliveries that it has listed before': faultyDeliveries((deliveries) => {
      const everListed: ListedDelivery[] = [];
      return {
        list: async (ref, page) => {
          const listed = await deliveries.list(ref, page);
          everListed.push(...(listed ?? []));
          return listed && [...new Map(everListed.map((each) => [each.deliveryId, each])).values()];
        },
      };
    }),
  },
  'keeps claiming and listing after the retention was shortened': {
    'expires no delivery before an older one': chooseRetention(Math.max),
    'applies the shortest retention so far': chooseRetention(Math.min),
    'claims nothing after an expired delivery': faultyClaims(({ attempts }) => ({
      attempts: attempts.filter(({ sequence }) => sequence === 1),
    })),
  },
  'reports how many deliveries are pending, and how long the oldest has been due': {
    'reports no pending deliveries': faultyStats(() => ({ pending: 0 })),
    'reports an age of 0': faultyStats(() => ({ oldestDueAgeMs: 0 })),
    'counts attempts in flight towards the age': faultyDeliveries((deliveries, { clock }) => {
      let claimedAtMs = Number.POSITIVE_INFINITY;
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          claimedAtMs = Math.min(claimedAtMs, ...claim.attempts.map((each) => each.claimedAtMs));
          return claim;
        },
        stats: async () => {
          const { pending, oldestDueAgeMs } = await deliveries.stats();
          return { pending, oldestDueAgeMs: Math.max(oldestDueAgeMs, clock.nowMs() - claimedAtMs) };
        },
      };
    }),
    'reports an age without a due delivery': faultyStats(({ oldestDueAgeMs }) => ({
      oldestDueAgeMs: oldestDueAgeMs || 1,
    })),
    'counts the age from the time of publishing': faultyDeliveries((deliveries, { clock }) => {
      const publishedAtMs: number[] = [];
      return {
        publish: (message) => {
          publishedAtMs.push(clock.nowMs());
          return deliveries.publish(message);
        },
        stats: async () => {
          const [oldest = clock.nowMs()] = publishedAtMs;
          return { ...(await deliveries.stats()), oldestDueAgeMs: clock.nowMs() - oldest };
        },
      };
    }),
  },
  'counts a delivery as pending until it is delivered': {
    'counts unattempted deliveries only': faultyDeliveries((deliveries) => {
      let attempted = 0;
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          attempted += claim.attempts.length;
          return claim;
        },
        stats: async () => {
          const stats = await deliveries.stats();
          return { ...stats, pending: stats.pending - attempted };
        },
      };
    }),
  },
  'counts no deliveries of a disabled webhook as pending': {
    'counts deliveries of disabled webhooks': faultyDeliveries((deliveries, { webhooks }) => ({
      stats: async () => {
        const stats = await deliveries.stats();
        const registered = await webhooks.list(7, { limit: 9, after: null });
        const disabled = registered.filter(({ disabledAtMs }) => disabledAtMs !== null);
        return { ...stats, pending: stats.pending + disabled.length };
      },
    })),
  },
  'reports the age of a new delivery to a webhook that also waits for a retry': {
    'reports an age of 0 before the retry': faultyAges((ageMs, sinceMs) =>
      sinceMs < 0 ? 0 : ageMs,
    ),
    'counts the age from the time of the retry': faultyAges((ageMs, sinceMs) =>
      sinceMs < 0 ? ageMs : sinceMs,
    ),
  },
});
