// A process that publishes `m0` to `m19` for account 1, in one transaction. Environment: `PG_URL`, `PG_SCHEMA`. Prints
// `committed`, and stays until it is killed.
import { postgresStorage } from '@latchhook/postgres';
import pg from 'pg';

const { PG_URL, PG_SCHEMA } = process.env;
const pool = new pg.Pool({ connectionString: PG_URL });
const { outbox } = postgresStorage(pool, { schema: PG_SCHEMA }).deliveries;
const tx = await pool.connect();
await tx.query('BEGIN');
for (let nth = 0; nth < 20; nth += 1) {
  await outbox.publishWithin(tx, {
    accountId: 1,
    messageId: `m${nth}`,
    event: 'Contact.Added',
    body: '{}',
    webhookId: null,
    idempotencyKey: null,
    idempotencyMs: 0,
    retentionMs: 60_000,
    maxQueued: 1_000,
  });
}
await tx.query('COMMIT');
process.stdout.write('committed\n');
setInterval(() => {}, 60_000);
