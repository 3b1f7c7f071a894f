import type { DeliveryStore, ListedDelivery, Page } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { claimedThat, listedThat, messagesThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat, storesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryReading } from './delivery-reading.ts';

type List = DeliveryStore['list'];

const lists = (change: (list: List) => List) =>
  deliveriesThat(({ deliveries }) => ({ list: change(deliveries.list) }));
const pagesBy = (change: (page: Page) => Partial<Page>) =>
  lists((list) => (ref, page) => list(ref, { ...page, ...change(page) }));
const statsThat = (change: (stats: Awaited<ReturnType<DeliveryStore['stats']>>) => object) =>
  deliveriesThat(({ deliveries }) => ({
    stats: async () => {
      const stats = await deliveries.stats();
      return { ...stats, ...change(stats) };
    },
  }));
const retainsFor = (change: (retentionMs: number) => number) =>
  messagesThat(({ retentionMs }) => ({ retentionMs: change(retentionMs) }));

/** Retains a message for as long as `pick` says of all that were published so far. */
const retainsBy = (pick: (...retentionMs: readonly number[]) => number) =>
  deliveriesThat(({ deliveries }) => {
    const all: number[] = [];
    return {
      publish: (message) => {
        all.push(message.retentionMs);
        return deliveries.publish({ ...message, retentionMs: pick(...all) });
      },
    };
  });

expectWebhookFaultsNoticed(deliveryReading, {
  'lists deliveries with their attempts, newest first, page by page': {
    'begins with the oldest': lists(
      (list) => async (ref, page) => (await list(ref, page))?.toReversed() ?? null,
    ),
    'repeats the last of a page': pagesBy(({ after }) => ({ after: after && after + 1 })),
    'skips one after a page': pagesBy(({ after }) => ({ after: after && after - 1 })),
    'has one too many on a page': pagesBy(({ limit }) => ({ limit: limit + 1 })),
    'takes an unknown webhook for one without any': lists(
      (list) => async (ref, page) => (await list(ref, page)) ?? [],
    ),
    'knows no accounts': lists((list) => (ref, page) => list({ ...ref, accountId: 7 }, page)),
  },
  'fills pages although others between were forgotten': {
    'looks at as many places as a page has': lists((list) => async (ref, page) => {
      const [newest] = (await list(ref, { limit: 1, after: null })) ?? [];
      const from = page.after ?? (newest?.sequence ?? 0) + 1;
      const listed = await list(ref, page);
      return listed?.filter(({ sequence }) => sequence >= from - page.limit) ?? null;
    }),
    'shows what was forgotten': retainsFor(() => 10 ** 12),
  },
  'shows each state, and what its attempts came to': {
    'has another event': listedThat(() => ({ event: 'Contact.Removed' })),
    'dates it by another clock': listedThat(() => ({ createdAtMs: 0 })),
    'has no statuses': listedThat(({ attempts }) => ({
      attempts: attempts.map((each) => ({ ...each, status: null })),
    })),
    'has no errors': listedThat(({ attempts }) => ({
      attempts: attempts.map((each) => ({ ...each, error: null })),
    })),
    'has ends for starts': listedThat(({ attempts }) => ({
      attempts: attempts.map((each) => ({ ...each, startedAtMs: each.startedAtMs + 5 })),
    })),
    'does not say when': listedThat(() => ({ nextAttemptAtMs: null })),
    'has times for what is queued': listedThat(({ createdAtMs, state, nextAttemptAtMs }) => ({
      nextAttemptAtMs: state === 'queued' ? createdAtMs : nextAttemptAtMs,
    })),
    'takes what waits for queued': listedThat(({ state }) => ({
      state: state === 'waiting' ? 'queued' : state,
    })),
    'takes what is in flight for queued': listedThat(({ state }) => ({
      state: state === 'sending' ? 'queued' : state,
    })),
    'does not say why': listedThat(() => ({ deadReason: null })),
  },
  'keeps the newest twenty attempts of a delivery': {
    'keeps nineteen': listedThat(({ attempts }) => ({ attempts: attempts.slice(-19) })),
    'begins with the newest': listedThat(({ attempts }) => ({ attempts: attempts.toReversed() })),
    'does not log what is lost': listedThat(({ attempts }) => ({
      attempts: attempts.filter(({ error }) => error !== 'lost'),
    })),
  },
  'neither claims, lists nor resends expired deliveries': {
    'forgets nothing': retainsFor(() => 10 ** 12),
    'is late by one': retainsFor((retentionMs) => retentionMs + 1),
    'is early by one': retainsFor((retentionMs) => retentionMs - 1),
    'lists what it has listed before': deliveriesThat(({ deliveries }) => {
      const known: ListedDelivery[] = [];
      return {
        list: async (ref, page) => {
          const listed = await deliveries.list(ref, page);
          known.push(...(listed ?? []));
          return listed && [...new Map(known.map((each) => [each.deliveryId, each])).values()];
        },
      };
    }),
  },
  'keeps claiming and listing after the retention was shortened': {
    'lets none expire before an older one': retainsBy(Math.max),
    'lets all expire with the first': retainsBy(Math.min),
    'waits for what has expired': claimedThat(({ attempts }) => ({
      attempts: attempts.filter(({ sequence }) => sequence === 1),
    })),
  },
  'reports pending deliveries and the oldest due age of enabled webhooks': {
    'counts nothing': statsThat(() => ({ pending: 0 })),
    'knows no age': statsThat(() => ({ oldestDueAgeMs: 0 })),
    'counts the age of what is in flight': deliveriesThat(({ deliveries, clock }) => {
      let claimedAtMs = Number.POSITIVE_INFINITY;
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          claimedAtMs = Math.min(claimedAtMs, ...claim.attempts.map((each) => each.claimedAtMs));
          return claim;
        },
        stats: async () => {
          const { pending, oldestDueAgeMs } = await deliveries.stats();
          return {
            pending,
            oldestDueAgeMs: Math.max(oldestDueAgeMs, clock.nowMs() - claimedAtMs),
          };
        },
      };
    }),
    'has an age without anything due': statsThat(({ oldestDueAgeMs }) => ({
      oldestDueAgeMs: oldestDueAgeMs || 1,
    })),
    'counts what waits for a first try only': deliveriesThat(({ deliveries }) => {
      let tried = 0;
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          tried += claim.attempts.length;
          return claim;
        },
        stats: async () => {
          const stats = await deliveries.stats();
          return { ...stats, pending: stats.pending - tried };
        },
      };
    }),
    'counts those of disabled ones': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        stats: async () => {
          const stats = await deliveries.stats();
          const all = await webhooks.list(7, { limit: 9, after: null });
          const held = all.filter(({ disabledAtMs }) => disabledAtMs !== null).length;
          return { ...stats, pending: stats.pending + held };
        },
      },
    })),
    'counts the age from publishing': deliveriesThat(({ deliveries, clock }) => {
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
});
