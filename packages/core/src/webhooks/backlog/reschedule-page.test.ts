import { expect, it } from 'vitest';
import type { RescheduledDelivery, ScheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { RescheduleRequest } from '../../storage/delivery-requests.ts';
import { policy } from '../registry/webhook-scene.test.support.ts';
import { rescheduleHead } from './reschedule-page.ts';

const ref = { accountId: 1, webhookId: 'wh_1' };

async function rescheduled(returned: readonly RescheduledDelivery[] | null) {
  const asked: RescheduleRequest[] = [];
  const queued: (readonly ScheduledDelivery[])[] = [];
  const deliveries = {
    async reschedule(_webhook: unknown, request: RescheduleRequest) {
      asked.push(request);
      return returned;
    },
  };
  const queue = {
    reschedule: async (page: readonly ScheduledDelivery[]) => void queued.push(page),
  };
  await rescheduleHead({ deliveries, policy, queue }, ref);
  return { asked, queued };
}

it('reschedules the head of a backlog in the engine too, by the bounds of the policy', async () => {
  const position = { line: 'first_tries', sequence: 1 } as const;
  const returned = [{ ...ref, deliveryId: 'msg_1', run: 1, delayMs: 7, position }];
  const { asked, queued } = await rescheduled(returned);
  const bounds = { rateMarginMs: 25, maxInFlight: 10, leaseMs: 20_000 };
  expect(asked).toEqual([{ ...bounds, limit: 1, after: null }]);
  expect(queued).toEqual([returned]);
});

it.each([[[]], [null]])('asks nothing of the engine where nobody waits: %o', async (returned) => {
  expect((await rescheduled(returned)).queued).toEqual([]);
});
