import { memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { certifyWebhooks } from './certify-webhooks.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { deliveriesThat, readThenWriteWebhooks, storesThat } from './self-test/faulty-webhooks.ts';
import { deliveryBacklog } from './suites/webhooks/delivery-backlog.ts';
import { deliveryRaces } from './suites/webhooks/delivery-races.ts';
import { deliveryRate } from './suites/webhooks/delivery-rate.ts';
import { deliveryTurns } from './suites/webhooks/delivery-turns.ts';
import { webhookAgreement } from './suites/webhooks/webhook-agreement.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import type { TestRunner } from './test-runner.ts';
import type { WebhookHarness } from './trials/webhook-trial.ts';

it('claims nothing twice, and nothing that the reference does not hold', async () => {
  const { held, failed } = await failingClaims(
    certifyWebhooks,
    storesThat((sound) => sound),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('says of a storage without webhooks that it has none', async () => {
  const { held } = await failingClaims(certifyWebhooks, {
    open: async ({ clock }) => {
      const { sessions, challenges, name } = memoryStorage({ clock });
      const storage: Storage = { name, sessions, challenges };
      return { connect: async () => storage, close: async () => {} };
    },
  });
  expect(held).toEqual([]);
});

it('names the claims that a lease without end breaks', async () => {
  const { failed } = await failingClaims(
    certifyWebhooks,
    deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, leaseMs: Number.MAX_SAFE_INTEGER / 2 }),
    })),
  );
  expect(failed.filter((claim) => !claim.startsWith('webhooks: agreement'))).toEqual([
    'deliveries: attempts in flight > are at most maxInFlight, and the next one has to wait',
    'deliveries: attempts in flight > are at most one per delivery',
    'deliveries: lost attempts > are those whose lease is over, and cost no try',
    'deliveries: lost attempts > cannot be ended once another has begun',
    'deliveries: lost attempts > take no room',
    'deliveries: lost attempts > count towards the rate',
    'deliveries: lost attempts > kill a delivery as poison once there were maxLostAttempts',
    'deliveries: lost attempts > are lost once, even if the rate makes the next one wait',
    'deliveries: lost attempts > no longer count once the delivery is sent again',
    'deliveries: parked until there is room > are joined by deliveries that a raised rate would make ask too early, and are woken in order',
    'deliveries: woken once there is room > are woken by one another as they start, until all room is used',
    'deliveries: woken once there is room > are woken if the attempts in flight are lost',
    'deliveries: turns of retries and first tries > wake a delivery by the margin of a start that finds poison',
    'deliveries: behind forgotten ones > first tries are woken by a reschedule in place of a forgotten retry',
    'deliveries: behind forgotten ones > retries are woken by a reschedule in place of a forgotten first try',
    'deliveries: withdrawn attempts > are left alone once they were lost, and another has begun',
    'deliveries: the log > also makes room for an attempt that is lost',
    'deliveries: when they are overdue > are overdue when their process died, counted from before the end of the lease',
    'deliveries: when they are overdue > are overdue from the moment that the lease is over, and not before',
    'deliveries: put off once returned as overdue > are returned again while their sender is lost, whose attempt then counts as long as the lease',
    'deliveries: put off once returned as overdue > are pending, and take no room, as before',
    'deliveries: put off once returned as overdue > may still be ended by a sender that was taken for lost, and are then due by its verdict',
    'deliveries: put off once returned as overdue > are due when they are next scheduled',
    'deliveries: put off once returned as overdue > are not returned again if nothing is to start',
    'deliveries: put off once returned as overdue > are listed with the time at which they are due again, except for those in flight',
    'deliveries: how late they are > are late when their process died, and not while the lease lasts',
    'deliveries: races between processes > one of 100 parallel starts follows an attempt that was lost',
    'webhooks: commands sent again > an attempt begun again is answered sending, and counts once',
  ]);
});

const manySteps = [deliveryRate, deliveryBacklog, deliveryTurns, webhookAgreement].map(
  ({ name }) => name,
);

/** Leaves out suites with thousands of steps: to read, that store takes all earlier ones again. */
function certifyInFewSteps({ describe, it }: TestRunner, harness: WebhookHarness): void {
  const describeFew: TestRunner['describe'] = (name, body) =>
    manySteps.includes(name) ? undefined : describe(name, body);
  certifyWebhooks({ describe: describeFew, it }, harness);
}

it('needs races to notice a store that reads, then writes', async () => {
  const { failed } = await failingClaims(certifyInFewSteps, readThenWriteWebhooks);
  const seen = [webhookRaces, deliveryRaces].flatMap(({ name, claims }) =>
    Object.keys(claims).map((claim) => `${name} > ${claim}`),
  );
  // Attempts in flight are counted in the order of publishing: one that reads too early gets too high a place, and
  // waits.
  const unseen = 'no more than maxInFlight attempts are in flight, however many ask';
  expect(failed).toEqual([
    'webhooks: resealing > is done by one of many processes that try at once, and loses no new secret',
    ...seen.filter((claim) => !claim.endsWith(unseen)),
    'webhooks: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});
