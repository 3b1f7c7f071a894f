import { memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { certifyWebhooks } from './certify-webhooks.ts';
import type { WebhookHarness } from './fixtures/webhook-fixture.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { faultyAccounts } from './self-test/faulty-accounts.ts';
import { faultyMessages } from './self-test/faulty-deliveries.ts';
import { faultyRequests } from './self-test/faulty-storage.ts';
import { nonAtomic, reference } from './self-test/reference.ts';
import { deliveryRaces } from './suites/deliveries/delivery-races.ts';
import { webhookModel } from './suites/webhooks/webhook-model.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import type { TestRunner } from './test-runner.ts';

it('certifyWebhooks passes the reference storage in all cases, each with a unique title', async () => {
  const { passed, failed } = await failingCases(certifyWebhooks, reference);
  expect(failed).toEqual([]);
  expect(new Set(passed).size).toBe(passed.length);
});

it('certifyWebhooks fails every case of a storage without webhooks', async () => {
  const { passed } = await failingCases(certifyWebhooks, {
    open: async ({ clock }) => {
      const { sessions, challenges, name } = memoryStorage({ clock });
      const storage: Storage = { name, sessions, challenges };
      return { connect: async () => storage, close: async () => {} };
    },
  });
  expect(passed).toEqual([]);
});

const certifySuites =
  (isIncluded: (suite: string) => boolean) =>
  ({ describe, it }: TestRunner, harness: WebhookHarness): void => {
    const describeSome: TestRunner['describe'] = (name, body) =>
      isIncluded(name) ? describe(name, body) : undefined;
    certifyWebhooks({ describe: describeSome, it }, harness);
  };
const hasTextAccountIds = (suite: string) => suite.endsWith(', with text account ids');
/** Leaves out thousands of steps, because `nonAtomic` repeats all earlier steps in each step. */
const certifyInFewSteps = certifySuites(
  (name) => name !== webhookModel.name && !hasTextAccountIds(name),
);

const ENDLESS_MS = Number.MAX_SAFE_INTEGER / 2;

it('certifyWebhooks fails exactly the cases that an endless lease breaks', async () => {
  const { failed } = await failingCases(
    certifyInFewSteps,
    faultyRequests('deliveries', 'claim', () => ({ leaseMs: ENDLESS_MS })),
  );
  expect(failed).toEqual([
    'deliveries: order > returns as nextInMs the wait for the rate or the end of a lease, and null if the queue is empty',
    'deliveries: rate > extends no rate window, backoff or lease when the clock is set back',
    'deliveries: leases > claims a delivery again in the millisecond that its lease expires, and logs the lost attempt',
    'deliveries: leases > claims stalled attempts before retries and first attempts',
    'deliveries: leases > claims a stalled attempt again even if the clock was set back',
    'deliveries: leases > returns a nextInMs no later than the end of the first lease',
    'deliveries: leases > leaves a lease unchanged by the leaseMs of later claims',
    'deliveries: leases > reports a delivery as poison, once, if maxStalledAttempts leases expire in a row',
    'deliveries: leases > resets the count of expired leases when an attempt completes',
    'deliveries: leases > frees the permits of webhook and account when a lease expires',
    'deliveries: attempts in flight > skips removed and disabled webhooks when permits of the account become free',
    'deliveries: attempts in flight > gives a freed permit to the next webhook if the first is removed',
    'deliveries: attempts in flight > gives a freed permit to the next webhook if the first is disabled',
    'deliveries: attempts in flight > skips webhooks in backoff when permits of the account become free',
    'deliveries: completion > returns stale to a second completion and to a completion after the lease expired',
    'deliveries: completion > frees no permit on a stale completion',
    'deliveries: redelivery > resends a poison message with its count of expired leases reset',
    'deliveries: redelivery > resends failed deliveries of every reason',
    'deliveries: lists, retention, statistics > keeps the newest twenty attempts of a delivery',
    'deliveries: races between processes > gives a stalled attempt to one of 100 parallel claims',
    'deliveries: races between processes > reports a poison message in one of 100 parallel claims',
  ]);
});

it('certifyWebhooks fails exactly the case that another rate margin breaks', async () => {
  const { failed } = await failingCases(
    certifyInFewSteps,
    faultyRequests('deliveries', 'claim', () => ({ rateMarginMs: 200 })),
  );
  expect(failed).toEqual([
    'deliveries: rate > applies to each attempt the rateMarginMs of its own claim',
  ]);
});

it('certifyWebhooks fails exactly the case that case-folded keys break', async () => {
  const { failed } = await failingCases(
    certifyInFewSteps,
    faultyMessages(({ idempotencyKey }) => ({
      idempotencyKey: idempotencyKey?.toLowerCase() ?? null,
    })),
  );
  expect(failed).toEqual([
    'deliveries: duplicate messages > compares account ids, message ids, idempotency keys and events byte by byte',
  ]);
});

it('certifyWebhooks fails a non-atomic storage in parallel cases only', async () => {
  const { failed } = await failingCases(certifyInFewSteps, nonAtomic);
  const races = [webhookRaces, deliveryRaces].flatMap((suite) =>
    Object.keys(suite.cases).map((claim) => `${suite.name} > ${claim}`),
  );
  expect(failed).toEqual([
    'webhooks: re-encryption > replaces a secret once under 50 parallel calls, and undoes no rotation',
    'deliveries: duplicate messages > publishes one of forty parallel messages with the same key',
    'deliveries: rate > claims no more than rateLimit over all connections together',
    'deliveries: rate > keeps the rate in every window, at random times and over all connections',
    'deliveries: leases > claims each attempt once over all connections',
    'deliveries: attempts in flight > limits attempts in flight per webhook until an attempt ends',
    'deliveries: attempts in flight > delivers all messages one at a time while claims and completions interleave',
    'deliveries: attempts in flight > counts attempts in flight of an account over all connections',
    ...races,
    'webhooks: disturbances that lose no data > publishes and claims a message once under parallel calls during a disturbance',
  ]);
});

it('certifyWebhooks fails suites with text account ids for a store that folds letter case', async () => {
  const { failed } = await failingCases(
    certifySuites(hasTextAccountIds),
    faultyAccounts((id) => id.toLowerCase()),
  );
  expect(failed).toEqual([
    'webhooks: registry, with text account ids > counts and lists the webhooks of each account separately',
    'webhooks: registry, with text account ids > shows a webhook to its own account only',
    'webhooks: re-encryption, with text account ids > lists the secrets of every account’s webhooks',
    'deliveries: duplicate messages, with text account ids > returns the first message for a repeated message id or idempotency key',
    'deliveries: completion, with text account ids > returns stale once the attempt was claimed again, even with the same number',
    'deliveries: completion, with text account ids > frees no permit on a stale completion',
    'deliveries: redelivery, with text account ids > resends no delivery that is unattempted, in flight or of another account',
    'deliveries: lists, retention, statistics, with text account ids > returns null as the list of a webhook that is unknown or of another account',
  ]);
});
