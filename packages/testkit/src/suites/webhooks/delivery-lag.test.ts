import type { DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryLag } from './delivery-lag.ts';

function lagThat(change: (lagMs: number) => number) {
  return deliveriesThat(({ deliveries }) => ({
    lagMs: async () => change(await deliveries.lagMs()),
  }));
}

/** Measures from a time of the newest delivery that is listed in one of these states. */
function lagSince(
  time: 'createdAtMs' | 'nextAttemptAtMs',
  states: readonly string[],
  webhookIds: readonly string[] = ['w1', 'w2', 'w3'],
) {
  return deliveriesThat(({ deliveries, clock }) => ({
    lagMs: async () => {
      const times = await listedTimes(deliveries, webhookIds, states, time);
      return Math.max(0, ...times.map((atMs) => Math.abs(clock.nowMs() - atMs)));
    },
  }));
}

async function listedTimes(
  deliveries: DeliveryStore,
  webhookIds: readonly string[],
  states: readonly string[],
  time: 'createdAtMs' | 'nextAttemptAtMs',
): Promise<readonly number[]> {
  const lists = await Promise.all(
    webhookIds.map((webhookId) =>
      deliveries.list({ accountId: 7, webhookId }, { limit: 100, after: null }),
    ),
  );
  return lists
    .flatMap((list) => list ?? [])
    .filter(({ state }) => states.includes(state))
    .map((listed) => listed[time] ?? 0);
}

const saysNone = lagThat(() => 0);
const isLate = lagThat((lagMs) => lagMs + 1);

expectWebhookFaultsNoticed(deliveryLag, {
  'are as late as the first that should have started, of all webhooks': {
    'says none': saysNone,
    'is one late': isLate,
    'looks at one webhook': lagSince('nextAttemptAtMs', ['queued', 'waiting'], ['w1']),
    'measures from the publishing': lagSince('createdAtMs', ['queued', 'waiting']),
  },
  'are not late before they are scheduled': {
    'says none': saysNone,
    'measures from the publishing': lagSince('createdAtMs', ['queued', 'waiting']),
  },
  'are late when their process died, and not while the lease lasts': {
    'says none': saysNone,
    'looks at what waits alone': lagSince('nextAttemptAtMs', ['queued', 'waiting']),
    'counts what is in flight': lagSince('createdAtMs', ['queued', 'sending']),
  },
  'are late from their new due time, once returned as overdue': {
    'says none': saysNone,
    'measures from the publishing': lagSince('createdAtMs', ['queued']),
    'puts nothing off': deliveriesThat(({ deliveries }) => ({
      overdue: (request) => deliveries.overdue({ ...request, putOffMs: 0 }),
    })),
  },
  'are not late if nothing is to start': {
    'says none': saysNone,
    'counts what is dead': lagSince('createdAtMs', ['queued', 'dead']),
    'counts what is held': lagSince('createdAtMs', ['queued', 'held']),
    'counts what is delivered': lagSince('createdAtMs', ['queued', 'delivered']),
  },
});
