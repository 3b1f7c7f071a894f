import { memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { certifyWebhooks } from './certify-webhooks.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { messagesThat, requestsThat } from './self-test/faulty-deliveries.ts';
import { deliveriesThat, readThenWriteWebhooks, storesThat } from './self-test/faulty-webhooks.ts';
import { deliveryRaces } from './suites/deliveries/delivery-races.ts';
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

const LAST_OF_ALL_MS = Number.MAX_SAFE_INTEGER / 2;

it('names the claims that a lease without end breaks', async () => {
  const { failed } = await failingClaims(
    certifyWebhooks,
    deliveriesThat(({ deliveries }) => ({
      claim: (request) => deliveries.claim({ ...request, leaseMs: LAST_OF_ALL_MS }),
    })),
  );
  expect(failed.filter((claim) => !claim.startsWith('webhooks: agreement'))).toEqual([
    'deliveries: order > says when to claim again',
    'deliveries: rate > makes nothing wait for longer when the clock is set back, nor do backoffs and leases',
    'deliveries: leases > hands an attempt out again when its lease is over, to the millisecond, and logs it as lost',
    'deliveries: leases > hands it out again though the clock was set back before it was claimed',
    'deliveries: leases > says to claim again by when the first lease ends',
    'deliveries: leases > goes by the lease of each claim, whatever the next ones ask for',
    'deliveries: leases > gives a delivery up as poison whose leases were lost in a row, and says so once',
    'deliveries: leases > counts lost leases from anew after an attempt that ended',
    'deliveries: leases > frees what was in flight of a webhook and its account when a lease is lost',
    'deliveries: attempts in flight > gives the room that is left to one that can use it, though others are removed or disabled',
    'deliveries: attempts in flight > gives it to one that can use it, though others back off',
    'deliveries: ends of attempts > is stale for who completes an attempt whose lease is over, or completes it twice',
    'deliveries: ends of attempts > makes no room by what is stale',
    'deliveries: sent again > sends poison again, with all of its leases',
    'deliveries: sent again > sends failed ones again for whatever reason they were given up',
    'deliveries: lists, retention, what waits > keeps the newest twenty attempts of a delivery',
    'deliveries: races between processes > one of 100 parallel claims follows an attempt that was lost',
    'deliveries: races between processes > one of 100 parallel claims says of a delivery that it is poison',
  ]);
});

it('names the one claim that a margin of its own breaks', async () => {
  const { failed } = await failingClaims(
    certifyWebhooks,
    requestsThat(() => ({ rateMarginMs: 200 })),
  );
  expect(failed.filter((claim) => !claim.startsWith('webhooks: agreement'))).toEqual([
    'deliveries: rate > goes by the margin of each claim',
  ]);
});

it('names the one claim that keys without letter case break', async () => {
  const { failed } = await failingClaims(
    certifyWebhooks,
    messagesThat(({ idempotencyKey }) => ({
      idempotencyKey: idempotencyKey?.toLowerCase() ?? null,
    })),
  );
  expect(failed).toEqual([
    'deliveries: publishing again > takes accounts, ids, keys and events for what they are, to the letter',
  ]);
});

/** Leaves out thousands of steps: to read, a store that is not atomic takes all earlier ones again. */
function certifyInFewSteps({ describe, it }: TestRunner, harness: WebhookHarness): void {
  const describeFew: TestRunner['describe'] = (name, body) =>
    name === webhookAgreement.name ? undefined : describe(name, body);
  certifyWebhooks({ describe: describeFew, it }, harness);
}

it('needs races to notice a store that reads, then writes', async () => {
  const { failed } = await failingClaims(certifyInFewSteps, readThenWriteWebhooks);
  const races = [webhookRaces, deliveryRaces].flatMap((suite) =>
    Object.keys(suite.claims).map((claim) => `${suite.name} > ${claim}`),
  );
  expect(failed).toEqual([
    'webhooks: resealing > is done by one of many processes that try at once, and loses no new secret',
    'deliveries: publishing again > by many at once under one key publishes once',
    'deliveries: rate > claims no more than rateLimit at once, over all connections',
    'deliveries: rate > holds in every window, at random times and over all connections',
    'deliveries: leases > hands out no attempt twice, over all connections',
    'deliveries: attempts in flight > lets no more attempts of a webhook be in flight than it may, and the next as one ends',
    'deliveries: attempts in flight > goes on at its cap however claims and ends of attempts cross',
    'deliveries: attempts in flight > counts what is in flight of an account over all connections',
    'deliveries: sent again > sends one again once, however many ask',
    ...races,
    'webhooks: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});
