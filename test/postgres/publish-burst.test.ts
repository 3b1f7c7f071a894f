import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it } from 'vitest';
import { ADA, AMPLE_LIMITS, newSession } from '../support/storage/login-samples.ts';
import { newMessage, register, withWebhooks } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { holdLocks } from './hold-locks.ts';
import { connect, HAS_POSTGRES, openSchema } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('a burst of events that waits for a lock', () => {
  it('leaves a connection of the pool to other calls', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 3 });
    const storage = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const { webhooks, deliveries } = withWebhooks(storage);
    await register(webhooks, 'w1');
    const release = await holdLocks(`LOCK TABLE ${schema}.messages IN SHARE MODE`);

    const burst = Array.from({ length: 200 }, (_, index) =>
      deliveries.publish(newMessage(`m${index}`)),
    );
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(2);
    await storage.sessions.create(newSession('s1'), AMPLE_LIMITS);
    expect(await storage.sessions.list(ADA)).toHaveLength(1);

    await release();
    const published = await Promise.all(burst);
    expect(published.every(({ outcome }) => outcome === 'published')).toBe(true);
  });
});
