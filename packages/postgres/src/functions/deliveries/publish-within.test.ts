import type { SqlTransaction } from '@latchhook/core';
import type { NewMessage } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { publishWithin } from './publish-within.ts';

const MESSAGE: NewMessage = {
  accountId: 1,
  messageId: 'msg_1',
  event: 'Contact.Added',
  body: '{}',
  webhookId: null,
  idempotencyKey: null,
  idempotencyMs: 1_000,
  retentionMs: 1_000,
  maxQueued: 10,
  rateMarginMs: 25,
};

it('says what is wrong with a transaction that resolves to the rows themselves', async () => {
  const rows = [{ answer: '{"outcome":"unknown"}' }];
  const tx: unknown = { query: async () => rows };
  await expect(
    publishWithin(tx as SqlTransaction, 'latchhook', MESSAGE, undefined),
  ).rejects.toThrow(
    new TypeError('tx.query must resolve to an object with rows, as a client of pg does'),
  );
});
