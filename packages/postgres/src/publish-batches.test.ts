import {
  CallDeadline,
  type NewMessage,
  type PublishedMessage,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { PublishBatches } from './publish-batches.ts';

function message(messageId: string, accountId = 1): NewMessage {
  return {
    accountId,
    messageId,
    event: 'Contact.Added',
    body: '{}',
    webhookId: null,
    idempotencyKey: null,
    idempotencyMs: 1_000,
    retentionMs: 1_000,
    maxQueued: 10,
  };
}

/** Batches that end when the test calls `end`. */
function openBatches(lengthMs = 60_000) {
  const sentBatches: {
    readonly ids: readonly string[];
    /** The time to the deadline of the batch, ms. */
    readonly leftMs: number;
    readonly end: (error?: Error) => void;
  }[] = [];
  const batches = new PublishBatches(
    (messages, deadline) =>
      new Promise<readonly PublishedMessage[]>((resolve, reject) => {
        const ids = messages.map(({ messageId }) => messageId);
        const results = ids.map((messageId) => ({
          outcome: 'published' as const,
          messageId,
          deliveries: 1,
          expired: [],
        }));
        const leftMs = deadline.atMs - performance.now();
        const end = (error?: Error) => (error ? reject(error) : resolve(results));
        sentBatches.push({ ids, leftMs, end });
      }),
    () => new CallDeadline('PostgreSQL', lengthMs),
  );
  const publish = (...messages: readonly NewMessage[]) =>
    Promise.all(messages.map((next) => batches.publish(next)));
  return { sentBatches, publish };
}

it('messages published in one turn of the event loop form one batch in the same order', async () => {
  const { sentBatches, publish } = openBatches();
  const published = publish(message('m1'), message('m2'), message('m3'));
  await Promise.resolve();
  expect(sentBatches.map(({ ids }) => ids)).toEqual([['m1', 'm2', 'm3']]);
  sentBatches[0]?.end();
  expect((await published).map((result) => 'messageId' in result && result.messageId)).toEqual([
    'm1',
    'm2',
    'm3',
  ]);
});

it('messages published while two batches are pending form the next batch', async () => {
  const { sentBatches, publish } = openBatches();
  for (const id of ['m1', 'm2', 'm3', 'm4']) {
    void publish(message(id));
    await Promise.resolve();
  }
  expect(sentBatches.map(({ ids }) => ids)).toEqual([['m1'], ['m2']]);
  sentBatches[1]?.end();
  await expect
    .poll(() => sentBatches.map(({ ids }) => ids))
    .toEqual([['m1'], ['m2'], ['m3', 'm4']]);
});

it('a batch takes messages of the accounts round-robin', async () => {
  const { sentBatches, publish } = openBatches();
  const burst = Array.from({ length: 100 }, (_, i) => message(`b${i}`));
  void publish(...burst, message('other', 2));
  await Promise.resolve();
  expect(sentBatches[0]?.ids).toContain('other');
  expect(sentBatches[0]?.ids.slice(0, 3)).toEqual(['b0', 'other', 'b1']);
});

it('a failed batch rejects all of its messages but no later message', async () => {
  const { sentBatches, publish } = openBatches();
  const outcomes = Promise.allSettled([publish(message('m1')), publish(message('m2'))]);
  await Promise.resolve();
  sentBatches[0]?.end(new Error('the server is gone'));
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const nextPublish = publish(message('m3'));
  await Promise.resolve();
  sentBatches[1]?.end();
  expect(await nextPublish).toHaveLength(1);
});

it('a message is rejected after it has waited for half of its timeout, and the next batch keeps its own timeout', async () => {
  const lengthMs = 100;
  const { sentBatches, publish } = openBatches(lengthMs);
  for (const id of ['m1', 'm2']) {
    void publish(message(id));
    await Promise.resolve();
  }
  const rejection = expect(publish(message('late'))).rejects.toThrow(StorageUnavailableError);
  const waitsUntilMs = performance.now() + lengthMs / 2;
  while (performance.now() <= waitsUntilMs);
  const published = publish(message('other', 2));
  sentBatches[0]?.end();
  await rejection;
  expect(sentBatches.map(({ ids }) => ids)).toEqual([['m1'], ['m2'], ['other']]);
  expect(sentBatches[2]?.leftMs).toBeGreaterThan(lengthMs / 2);
  sentBatches[2]?.end();
  expect(await published).toMatchObject([{ messageId: 'other' }]);
});
