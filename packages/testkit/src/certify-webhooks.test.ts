import { memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { certifyWebhooks } from './certify-webhooks.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { deliveriesThat, readThenWriteWebhooks, storesThat } from './self-test/webhooks-that.ts';
import { deliveryBacklog } from './suites/webhooks/delivery-backlog.ts';
import { deliveryRaces } from './suites/webhooks/delivery-races.ts';
import { deliveryRate } from './suites/webhooks/delivery-rate.ts';
import { deliveryTurns } from './suites/webhooks/delivery-turns.ts';
import { webhookAgreement } from './suites/webhooks/webhook-agreement.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import type { TestRunner } from './test-runner.ts';
import type { WebhookHarness } from './webhook-trial.ts';

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
    'deliveries: attempts under way > are maxInFlight at most, and the next one has to wait',
    'deliveries: attempts under way > are one at most of each delivery',
    'deliveries: attempts under way > are lost when their lease is over, which costs no try',
    'deliveries: attempts under way > cannot be ended once they were lost, and another has begun',
    'deliveries: attempts under way > take no room once they are lost',
    'deliveries: attempts under way > count towards the rate though they are lost',
    'deliveries: attempts under way > kill a delivery as poison once maxLostAttempts were lost',
    'deliveries: attempts under way > are lost once, though the rate makes the next one wait',
    'deliveries: attempts under way > are forgiven for being lost when the delivery is sent again',
    'deliveries: parked until there is room > are joined by deliveries that a raised rate would have ask in vain, and are woken in order',
    'deliveries: parked until there is room > are woken by one another as they start, until all room is used',
    'deliveries: parked until there is room > are woken where those under way are lost by now',
    'deliveries: turns of retries and first tries > wake a delivery by the margin that the start of a poisoned one came with',
    'deliveries: behind forgotten ones > are woken by being rescheduled, a first try in the turn of a retry that is forgotten by then',
    'deliveries: behind forgotten ones > are woken by being rescheduled, a retry in the turn of a first try that is forgotten by then',
    'deliveries: attempts that are withdrawn > are left alone once they were lost, and another has begun',
    'deliveries: the log > makes room for an attempt that is lost too',
    'deliveries: pending and overdue > are overdue when whoever tried them died, counted from before the end of the lease',
    'deliveries: pending and overdue > are overdue the moment that the lease is over, and not before',
    'deliveries: told as overdue > are told again while their sender is lost, whose attempt then counts as long as the lease',
    'deliveries: told as overdue > pend, and take no room, as before',
    'deliveries: told as overdue > may still be ended by a sender that was taken for lost, and are due by what comes of it',
    'deliveries: told as overdue > are due when they are next scheduled',
    'deliveries: told as overdue > are told no more where nothing is to start',
    'deliveries: told as overdue > are listed by when they are due again, except for those under way',
    'deliveries: how late they are > are late when whoever tried them died, and not while the lease lasts',
    'deliveries: races between processes > one of 100 parallel starts follows an attempt that was lost',
    'webhooks: commands sent again, and callers that died > an attempt begun again finds itself under way, once',
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

it('sees by races alone what is wrong with a store that reads, then writes', async () => {
  const { failed } = await failingClaims(certifyInFewSteps, readThenWriteWebhooks);
  const seen = [webhookRaces, deliveryRaces].flatMap(({ name, claims }) =>
    Object.keys(claims).map((claim) => `${name} > ${claim}`),
  );
  // Attempts in flight are counted in the order of publishing: one that reads too early gets too high a place, and
  // waits.
  const unseen = 'no more than maxInFlight attempts are under way, however many ask';
  expect(failed).toEqual([
    'webhooks: changes of what is as expected > succeed once of 50 in parallel that expect the same',
    'webhooks: changes of what is as expected > write over no other change',
    'webhooks: sealing secrets anew > is done by one of many processes that do so at once, and loses no new secret',
    ...seen.filter((claim) => !claim.endsWith(unseen)),
    'webhooks: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});
