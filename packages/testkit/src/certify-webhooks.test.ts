import { memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { certifyWebhooks } from './certify-webhooks.ts';
import type { WebhookHarness } from './fixtures/webhook-fixture.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { readingAccountsAs } from './self-test/faulty-accounts.ts';
import { messagesThat, requestsThat } from './self-test/faulty-deliveries.ts';
import { deliveriesThat, readThenWriteWebhooks, storesThat } from './self-test/faulty-webhooks.ts';
import { deliveryRaces } from './suites/deliveries/delivery-races.ts';
import { webhookModel } from './suites/webhooks/webhook-model.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import type { TestRunner } from './test-runner.ts';

it('certifyWebhooks has unique claims, all of which the reference passes', async () => {
  const { held, failed } = await failingCases(
    certifyWebhooks,
    storesThat((sound) => sound),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('certifyWebhooks says so if the storage has no webhooks', async () => {
  const { held } = await failingCases(certifyWebhooks, {
    open: async ({ clock }) => {
      const { sessions, challenges, name } = memoryStorage({ clock });
      const storage: Storage = { name, sessions, challenges };
      return { connect: async () => storage, close: async () => {} };
    },
  });
  expect(held).toEqual([]);
});

const certifySuites =
  (isMeant: (suite: string) => boolean) =>
  ({ describe, it }: TestRunner, harness: WebhookHarness): void => {
    const describeSome: TestRunner['describe'] = (name, body) =>
      isMeant(name) ? describe(name, body) : undefined;
    certifyWebhooks({ describe: describeSome, it }, harness);
  };
const isByTexts = (suite: string) => suite.endsWith(', by texts');
/** Leaves out thousands of steps: to read, a store that is not atomic takes all earlier ones again. */
const certifyInFewSteps = certifySuites((name) => name !== webhookModel.name && !isByTexts(name));

const LAST_OF_ALL_MS = Number.MAX_SAFE_INTEGER / 2;

it('certifyWebhooks names the claims that an endless lease breaks', async () => {
  const { failed } = await failingCases(
    certifyInFewSteps,
    deliveriesThat(({ deliveries }) => ({
      claim: (request) => deliveries.claim({ ...request, leaseMs: LAST_OF_ALL_MS }),
    })),
  );
  expect(failed).toEqual([
    'deliveries: order > says when to claim again',
    'deliveries: rate > delays nothing when the clock is set back, neither by rates nor by backoffs and leases',
    'deliveries: leases > claims an attempt again when its lease expires, to the millisecond, and logs it as lost',
    'deliveries: leases > claims a lost attempt again though the clock was set back',
    'deliveries: leases > says to claim again by when the first lease ends',
    'deliveries: leases > keeps the lease of each claim, whatever later claims ask for',
    'deliveries: leases > fails a delivery as poison after several lost leases in a row, and reports it once',
    'deliveries: leases > resets the count of lost leases when an attempt completes',
    'deliveries: leases > frees the permits of webhook and account when a lease is lost',
    'deliveries: attempts in flight > gives free permits to a webhook that can use them, though others are removed or disabled',
    'deliveries: attempts in flight > gives free permits to a webhook that can use them, though others back off',
    'deliveries: ends of attempts > a completion after the lease, or a second one, is stale',
    'deliveries: ends of attempts > a stale completion frees no permit',
    'deliveries: sent again > resends a poison message with a new count of leases',
    'deliveries: sent again > resends failed deliveries whatever their reason',
    'deliveries: lists, retention, what waits > keeps the newest twenty attempts of a delivery',
    'deliveries: races between processes > one of 100 parallel claims follows an attempt that was lost',
    'deliveries: races between processes > one of 100 parallel claims says of a delivery that it is poison',
  ]);
});

it('certifyWebhooks names the one claim that another margin breaks', async () => {
  const { failed } = await failingCases(
    certifyInFewSteps,
    requestsThat(() => ({ rateMarginMs: 200 })),
  );
  expect(failed).toEqual(['deliveries: rate > goes by the margin of each claim']);
});

it('certifyWebhooks names the one claim that case-folded keys break', async () => {
  const { failed } = await failingCases(
    certifyInFewSteps,
    messagesThat(({ idempotencyKey }) => ({
      idempotencyKey: idempotencyKey?.toLowerCase() ?? null,
    })),
  );
  expect(failed).toEqual([
    'deliveries: publishing again > compares accounts, ids, keys and events byte by byte',
  ]);
});

it('certifyWebhooks catches a store that reads, then writes, by its races alone', async () => {
  const { failed } = await failingCases(certifyInFewSteps, readThenWriteWebhooks);
  const races = [webhookRaces, deliveryRaces].flatMap((suite) =>
    Object.keys(suite.cases).map((claim) => `${suite.name} > ${claim}`),
  );
  expect(failed).toEqual([
    'webhooks: reencrypting > is done by one of many processes that try at once, and loses no new secret',
    'deliveries: publishing again > by many at once under one key publishes once',
    'deliveries: rate > claims no more than rateLimit at once, over all connections',
    'deliveries: rate > holds in every window, at random times and over all connections',
    'deliveries: leases > claims no attempt twice, over all connections',
    'deliveries: attempts in flight > limits attempts in flight per webhook, and starts the next as one ends',
    'deliveries: attempts in flight > keeps a webhook at its limit while claims and completions cross',
    'deliveries: attempts in flight > counts attempts in flight of an account over all connections',
    'deliveries: sent again > resends a delivery once, however many ask',
    ...races,
    'webhooks: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});

it('certifyWebhooks catches a store that folds the case of texts by its suites of texts', async () => {
  const { failed } = await failingCases(
    certifySuites(isByTexts),
    readingAccountsAs((id) => id.toLowerCase()),
  );
  expect(failed).toEqual([
    'webhooks: registry, by texts > counts and lists each account separately',
    'webhooks: registry, by texts > shows a webhook to its own account only',
    'webhooks: reencrypting, by texts > lists the secrets of every account’s webhooks',
    'deliveries: publishing again, by texts > under an id or a key that was published before changes nothing, and names the first',
    'deliveries: ends of attempts, by texts > a completion is stale once the attempt was claimed again, even under the same number',
    'deliveries: ends of attempts, by texts > a stale completion frees no permit',
    'deliveries: sent again, by texts > does not resend a delivery without a try, in flight, or of another account',
    'deliveries: lists, retention, what waits, by texts > lists deliveries with their attempts, newest first, page by page',
  ]);
});
