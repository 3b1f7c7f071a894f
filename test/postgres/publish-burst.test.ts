import { StorageUnavailableError } from '@latchhook/core/storage';
import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it } from 'vitest';
import { newMessage, register, withWebhooks } from '../support/storage/webhook-samples.ts';
import { holdLocks } from './hold-locks.ts';
import { connect, HAS_POSTGRES, openSchema } from './open-schema.ts';

const deadlineMs = 2_000;
const OTHER_ACCOUNT_ID = 8;

describe.skipIf(!HAS_POSTGRES)('a burst of events of one account', () => {
  it('leaves the connections of the pool to the others while its webhooks are locked', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 6 });
    const { webhooks, deliveries } = withWebhooks(postgresStorage(pool, { schema, deadlineMs }));
    await register(webhooks, 'w1');
    await register(webhooks, 'w2', { accountId: OTHER_ACCOUNT_ID });
    const letGo = await holdLocks(
      `SELECT FROM ${schema}.webhooks WHERE webhook_id = 'w1' FOR UPDATE`,
    );

    const burst = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => deliveries.publish(newMessage(`m${index}`))),
    );
    const ofOther = newMessage('other', { accountId: OTHER_ACCOUNT_ID });
    await expect(deliveries.publish(ofOther)).resolves.toMatchObject({ outcome: 'published' });
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(4);
    for (const call of await burst) {
      expect(call).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    }

    await letGo();
    await expect(deliveries.publish(newMessage('next'))).resolves.toMatchObject({
      outcome: 'published',
    });
  });
});
