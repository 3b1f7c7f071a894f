import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryStore } from '@latchhook/core/storage';
import {
  claimAll,
  claimOnce,
  complete,
  EXHAUSTED,
  GONE,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { newWebhook } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const REF = newWebhook('w1');

/** Makes something due for which nobody has been told yet. */
type Provoke = (id: string) => Promise<() => Promise<unknown>>;

export const deliveryWaking: Suite<WebhookFixture> = {
  name: 'deliveries: notifications',
  cases: {
    'notifies only current subscribers of published messages': (fixture) =>
      assertTold(fixture, async (id) => () => publishOne(fixture.deliveries, id)),

    'notifies subscribers of resent deliveries': async (fixture) => {
      const { deliveries } = fixture;
      const failing = async (id: string) => {
        await publishOne(deliveries, id);
        await complete(deliveries, await claimAll(deliveries), EXHAUSTED);
      };
      await assertTold(fixture, async (id) => {
        await failing(`one ${id}`);
        return () => deliveries.redeliver({ ...REF, deliveryId: `one ${id}` });
      });
      await assertTold(fixture, async (id) => {
        await failing(`failed ${id}`);
        return () => deliveries.redeliverFailed(REF, { sinceMs: 0, limit: 9 });
      });
    },

    'notifies subscribers of an enabled webhook': async (fixture) => {
      const { webhooks, deliveries } = fixture;
      await assertTold(fixture, async (id) => {
        await publishOne(deliveries, `gone ${id}`);
        await publishOne(deliveries, `held ${id}`);
        const [gone, held] = await claimAll(deliveries);
        assert.ok(gone && held);
        await complete(deliveries, [gone], GONE);
        await complete(deliveries, [held], retryIn(0));
        return () => webhooks.enable(REF);
      });
    },
  },
};

/** A hint may be missed, or come needlessly: it is provoked again until one has led to an attempt. */
async function assertTold(fixture: WebhookFixture, provoke: Provoke): Promise<void> {
  const [other] = await fixture.connections(1);
  if (other?.deliveries.subscribe === undefined) return;
  await register(fixture.webhooks, 'w1');
  const { deliveries } = other;
  let isDue = false;
  let claimed = 0;
  let unwanted = 0;
  const endFirst = other.deliveries.subscribe(() => {
    unwanted += 1;
  });
  const claiming: Promise<void>[] = [];
  const claimAsTold = async (): Promise<void> => {
    if (isDue) claimed += (await claimOnce(deliveries)).attempts.length;
  };
  const endSecond = other.deliveries.subscribe(() => claiming.push(claimAsTold()));
  await endFirst();
  unwanted = 0;
  for (let patienceMs = 5; claimed === 0; patienceMs *= 2) {
    assert.ok(patienceMs < 1_000, 'was not told');
    isDue = false;
    const trigger = await provoke(`${patienceMs}`);
    await emptied(deliveries);
    await sleep(patienceMs);
    isDue = true;
    await trigger();
    await sleep(patienceMs);
    // A claim that is still under way would take what is provoked next.
    await Promise.all(claiming);
  }
  assert.equal(unwanted, 0);
  await endSecond();
  await Promise.all(claiming);
}

/** Who finds nothing more waits for a hint. */
async function emptied(deliveries: DeliveryStore): Promise<void> {
  const attempts = await claimAll(deliveries);
  if (attempts.length > 0) await complete(deliveries, attempts, EXHAUSTED);
}
