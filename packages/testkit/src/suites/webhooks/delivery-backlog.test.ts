import type { NextDelivery } from '@latchhook/core/storage';
import { found } from '../../actions/register-webhook.ts';
import { seededRandom } from '../../agreement/seeded-random.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { delaysThat, ratesThat } from '../../self-test/faulty-rates.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryBacklog } from './delivery-backlog.ts';

const schedulesAllAtOnce = delaysThat((delayMs) => (delayMs > 0 ? 1200 : 0));
const random = seededRandom(1);
const schedulesAtRandom = delaysThat((delayMs) => Math.ceil(delayMs * random()));
const isOneTooGenerous = ratesThat((rateLimit) => rateLimit + 1);
/** Keeps the limit of the creation, whatever it is changed to. */
const changesNoRate = ratesThat((rateLimit) => rateLimit);

function wakesThat(change: (next: NextDelivery) => NextDelivery) {
  return deliveriesThat(({ deliveries }) => ({
    start: async (request) => {
      const answer = await deliveries.start(request);
      return answer.outcome === 'deferred' ? { ...answer, next: change(answer.next) } : answer;
    },
    finish: async (request) => {
      const answer = await deliveries.finish(request);
      return answer.outcome === 'finished' ? { ...answer, next: change(answer.next) } : answer;
    },
  }));
}

const wakesNobody = wakesThat(() => null);

expectWebhookFaultsNoticed(deliveryBacklog, {
  'is scheduled evenly if much is published at once': {
    'schedules all for when the window opens': schedulesAllAtOnce,
    'schedules them in blocks': delaysThat((delayMs) => Math.ceil(delayMs / 1200) * 1200),
    'schedules them for now': delaysThat(() => 0),
    'schedules them at random': schedulesAtRandom,
    'puts them off for too long': delaysThat((delayMs) => delayMs * 2),
  },
  'of 5,000 is admitted within three asks each, and wastes no room': {
    'schedules all for when the window opens': schedulesAllAtOnce,
    'puts them off for too long': delaysThat((delayMs) => delayMs * 2),
    'is one too generous': isOneTooGenerous,
  },
  'of retries is admitted within three asks each': {
    'schedules all for when the window opens': schedulesAllAtOnce,
  },
  'is rescheduled by a changed limit, in order, page by page': {
    'returns nothing': deliveriesThat(() => ({ reschedule: async () => [] })),
    'returns the first page only': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, page) =>
        page.after === null ? deliveries.reschedule(ref, page) : [],
    })),
    'returns the newest first': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, page) => found(await deliveries.reschedule(ref, page)).toReversed(),
    })),
    'schedules them for now': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, page) => {
        const rescheduled = found(await deliveries.reschedule(ref, page));
        return rescheduled.map((delivery) => ({ ...delivery, delayMs: 0 }));
      },
    })),
    'changes no rate': changesNoRate,
  },
  'of retries and first tries is rescheduled too, even if they were scheduled for much later': {
    'reschedules first tries alone': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, page) => {
        const rescheduled = found(await deliveries.reschedule(ref, page));
        const records = await Promise.all(rescheduled.map((delivery) => deliveries.find(delivery)));
        return rescheduled.filter((_, nth) => records[nth]?.attempts.length === 0);
      },
    })),
    'changes no rate': changesNoRate,
  },
  'is due when it was last scheduled, even if it was due sooner before': {
    'keeps the earlier schedule': deliveriesThat(({ deliveries }) => ({
      find: async (ref) => {
        const record = await deliveries.find(ref);
        return record && { ...record, nextAttemptAtMs: record.createdAtMs };
      },
    })),
  },
  'is rescheduled by the margin of the request': {
    'uses the margin of the publisher': deliveriesThat(({ deliveries }) => ({
      reschedule: (ref, request) => deliveries.reschedule(ref, { ...request, rateMarginMs: 0 }),
    })),
  },
  'is answered in full pages except the last, even if much in between is forgotten': {
    'ends a page where it meets what is forgotten': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, page) => {
        const rescheduled = found(await deliveries.reschedule(ref, page));
        const first = rescheduled[0]?.position.sequence ?? 0;
        return rescheduled.filter(({ position }, nth) => position.sequence - first === nth);
      },
    })),
    'returns what is forgotten': deliveriesThat(({ deliveries }) => ({
      publish: ({ retentionMs, ...message }) =>
        deliveries.publish({ ...message, retentionMs: 2 * retentionMs }),
    })),
  },
  'behind a slow receiver is admitted within three asks each, and leaves no room empty': {
    'makes all ask again as soon as it can': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { ...answer, delayMs: 20 } : answer;
      },
    })),
    'never says who is next': wakesNobody,
  },
  'is not left parked if a slow receiver becomes fast, and the rate is the obstacle': {
    'never says who is next': wakesNobody,
    'wakes none that the rate delays': wakesThat((next) => (next?.delayMs ? null : next)),
  },
});
