import { CallDeadline, type NewMessage, type PublishedMessage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { PublishBatches } from './publish-batches.ts';

const newDeadline = () => new CallDeadline('PostgreSQL', 60_000);

function message(messageId: string, accountId = 1): NewMessage {
  return {
    ...{ accountId, messageId, event: 'Contact.Added', body: '{}', webhookId: null },
    ...{ idempotencyKey: null, idempotencyMs: 1_000, retentionMs: 1_000, maxQueued: 10 },
  };
}

/** Batches that end when the test says so. */
function openBatches() {
  const sent: { readonly ids: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const batches = new PublishBatches(
    (messages) =>
      new Promise<readonly PublishedMessage[]>((resolve, reject) => {
        const ids = messages.map(({ messageId }) => messageId);
        const answers = ids.map((messageId) => ({
          ...{ outcome: 'published' as const, messageId, deliveries: 1, expired: [] },
        }));
        sent.push({ ids, end: (error) => (error ? reject(error) : resolve(answers)) });
      }),
    newDeadline,
  );
  const publish = (...messages: readonly NewMessage[]) =>
    Promise.all(messages.map((each) => batches.publish(each)));
  return { sent, publish };
}

it('messages published in one turn form one batch, in order, with a result each', async () => {
  const { sent, publish } = openBatches();
  const published = publish(message('m1'), message('m2'), message('m3'));
  await Promise.resolve();
  expect(sent.map(({ ids }) => ids)).toEqual([['m1', 'm2', 'm3']]);
  sent[0]?.end();
  expect((await published).map((each) => 'messageId' in each && each.messageId)).toEqual([
    'm1',
    'm2',
    'm3',
  ]);
});

it('messages wait while two batches are pending, then form the next', async () => {
  const { sent, publish } = openBatches();
  for (const id of ['m1', 'm2', 'm3', 'm4']) {
    void publish(message(id));
    await Promise.resolve();
  }
  expect(sent.map(({ ids }) => ids)).toEqual([['m1'], ['m2']]);
  sent[1]?.end();
  await expect.poll(() => sent.map(({ ids }) => ids)).toEqual([['m1'], ['m2'], ['m3', 'm4']]);
});

it('batches are filled round-robin over accounts', async () => {
  const { sent, publish } = openBatches();
  const burst = Array.from({ length: 100 }, (_, i) => message(`b${i}`));
  void publish(...burst, message('other', 2));
  await Promise.resolve();
  expect(sent[0]?.ids).toContain('other');
  expect(sent[0]?.ids.slice(0, 3)).toEqual(['b0', 'other', 'b1']);
});

it('all messages of a failed batch are rejected, and later ones are published', async () => {
  const { sent, publish } = openBatches();
  const rejected = Promise.allSettled([publish(message('m1')), publish(message('m2'))]);
  await Promise.resolve();
  sent[0]?.end(new Error('the server is gone'));
  expect((await rejected).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = publish(message('m3'));
  await Promise.resolve();
  sent[1]?.end();
  expect(await next).toHaveLength(1);
});
