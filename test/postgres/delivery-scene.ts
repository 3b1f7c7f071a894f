import type { Clock } from '@latchhook/core';
import type { NewMessage, Storage } from '@latchhook/core/storage';
import { postgresStorage } from '@latchhook/postgres';
import type { PoolClient } from 'pg';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, openSchema } from './open-schema.ts';

export const DAY_MS = 86_400_000;
export const ACCOUNT_ID = 7;

export type Stores = Required<Pick<Storage, 'webhooks' | 'deliveries'>>;

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
  return { ...(storage as Stores), pool, schema, countRows, inTransaction };
}

export async function register({ webhooks }: Stores, webhookId: string, rateLimit = 10_000) {
  const ref = { accountId: ACCOUNT_ID, webhookId };
  const url = 'https://receiver.example.com';
  const fields = { event: 'Contact.Added', url, rateLimit, sealedSecret: 'sealed' };
  await webhooks.create({ ...ref, ...fields, rateLimitPeriod: 'second' }, { maxPerAccount: 100 });
  return ref;
}

export function newMessage(messageId: string, change: Partial<NewMessage> = {}): NewMessage {
  return {
    accountId: ACCOUNT_ID,
    messageId,
    event: 'Contact.Added',
    body: '{}',
    webhookId: null,
    idempotencyKey: `key of ${messageId}`,
    idempotencyMs: DAY_MS,
    retentionMs: 2 * DAY_MS,
    maxQueued: 10_000,
    rateMarginMs: 0,
    ...change,
  };
}

export function starting(deliveryId: string, webhookId: string) {
  const limits = { leaseMs: 20_000, maxInFlight: 1_000, maxLostAttempts: 5, rateMarginMs: 0 };
  return {
    accountId: ACCOUNT_ID,
    webhookId,
    deliveryId,
    run: 1,
    ...limits,
    withdrawnStartAtMs: null,
  };
}
