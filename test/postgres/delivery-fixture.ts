import type { Clock } from '@latchhook/core';
import type { NewMessage } from '@latchhook/core/storage';
import { postgresStorage } from '@latchhook/postgres';
import type { PoolClient } from 'pg';
import { DAY_MS, newMessage, withWebhooks } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, openSchema } from './open-schema.ts';

export async function openStores({ clock, max = 10 }: { clock?: Clock; max?: number } = {}) {
  const schema = await openSchema();
  const pool = connect(undefined, { max });
  const storage = postgresStorage(pool, {
    schema,
    deadlineMs: PATIENT_MS,
    ...(clock && { clock }),
  });
  const inTransaction = async (work: (client: PoolClient) => Promise<unknown>): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query(`BEGIN; SET LOCAL search_path = ${schema}`);
      await work(client);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };
  const countRows = async (table: string): Promise<number> => {
    const { rows } = await pool.query(`SELECT count(*)::int AS count FROM ${schema}.${table}`);
    return rows[0].count;
  };
  return { ...withWebhooks(storage), pool, schema, countRows, inTransaction };
}

/** A message with an idempotency key, which is kept for two days. */
export function keyedMessage(messageId: string, change: Partial<NewMessage> = {}): NewMessage {
  const idempotencyKey = `key of ${messageId}`;
  return newMessage(messageId, { idempotencyKey, retentionMs: 2 * DAY_MS, ...change });
}
