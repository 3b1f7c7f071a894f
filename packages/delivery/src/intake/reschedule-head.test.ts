import type {
  RescheduledDelivery,
  RescheduleRequest,
  ScheduledDelivery,
} from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { scheduled, scriptedDeps } from '../runs/scripted-deps.test.support.ts';
import { rescheduleHead } from './reschedule-head.ts';

async function rescheduled(returned: readonly RescheduledDelivery[]) {
  const { context } = scriptedDeps();
  const asked: RescheduleRequest[] = [];
  const queued: (readonly ScheduledDelivery[])[] = [];
  const reschedule = async (_webhook: unknown, request: RescheduleRequest) => {
    asked.push(request);
    return returned;
  };
  const deliveries = { ...context.deliveries, reschedule };
  const queue = {
    reschedule: async (page: readonly ScheduledDelivery[]) => void queued.push(page),
  };
  await rescheduleHead({ ...context, deliveries }, queue, { accountId: 1, webhookId: 'wh_1' });
  return { asked, queued };
}

it('reschedules the first in the engine, by the bounds of the policy', async () => {
  const returned = [
    { ...scheduled('msg_1', 7), position: { line: 'first_tries', place: 1 } as const },
  ];
  const { asked, queued } = await rescheduled(returned);
  const bounds = { rateMarginMs: 25, maxInFlight: 10, leaseMs: 20_000 };
  expect(asked).toEqual([{ ...bounds, limit: 1, after: null }]);
  expect(queued).toEqual([returned]);
});

it('asks nothing of the engine where nobody waits', async () => {
  expect((await rescheduled([])).queued).toEqual([]);
});
