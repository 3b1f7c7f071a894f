// A host that publishes in transactions, and may be killed at any moment. Environment: that of delivery-parts.mjs, and
// `FIRST`, `LAST`, `LANES`, `ACCOUNTS`. It runs the transactions from `FIRST` to `LAST`, `LANES` at a time. It prints
// `begun 7` before transaction 7, and then `committed 7`, `rolled-back 7` or `failed 7`. It exits after the last one.
//
// A transaction changes the row of an account, publishes an event or two, and records them in the host's table. So the
// table shows which transactions have committed, whatever reply the host has got.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as elapsed } from 'node:timers/promises';
import { createAuth } from '@latchhook/core';
import {
  deliveryOptions,
  endConnections,
  pool,
  storage,
} from '../../support/apps/delivery-parts.mjs';

const AFTER_FAILURE_MS = 100;
const LONGEST_WORK_MS = 30;
const { PG_SCHEMA } = process.env;
const [first, last, lanes, accounts] = ['FIRST', 'LAST', 'LANES', 'ACCOUNTS'].map((name) =>
  Number(process.env[name]),
);

const { keys, webhooks } = deliveryOptions({ work: false });
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const nobody = async () => null;
const auth = createAuth({
  issuer: 'https://issuer.example',
  users: { findByUsername: nobody, findById: nobody },
  throttle: false,
  storage,
  keys: { ...keys, signing, refreshSecrets: [randomBytes(32)] },
  webhooks,
});

/** A third of the transactions are rolled back. */
const isRolledBack = (nth) => nth % 3 === 2;

async function change(tx, nth) {
  const accountId = (nth % accounts) + 1;
  // The row is locked from here to the commit, so versions have the order of the commits.
  const { rows } = await tx.query(
    `UPDATE ${PG_SCHEMA}.host_accounts SET version = version + 1 WHERE account_id = $1 RETURNING version`,
    [accountId],
  );
  const [{ version }] = rows;
  const ids = [];
  for (let place = 0; place <= nth % 2; place += 1) {
    const message = { accountId, data: { nth, version, place } };
    const { id } = await auth.events.publish('Contact.Added', message, { tx });
    ids.push(id);
  }
  // A delay, by which parallel transactions do not commit in the order in which they began.
  await elapsed((nth * 7) % LONGEST_WORK_MS);
  await tx.query(
    `INSERT INTO ${PG_SCHEMA}.host_events (account_id, version, nth, place, message_id)
     SELECT $1, $2, $3, place - 1, id FROM unnest($4::text[]) WITH ORDINALITY AS published (id, place)`,
    [accountId, version, nth, ids],
  );
  await tx.query(isRolledBack(nth) ? 'ROLLBACK' : 'COMMIT');
  return isRolledBack(nth) ? 'rolled-back' : 'committed';
}

// A broken connection also emits an error, which would end the process without a listener.
const ignore = () => {};

/** Begins a transaction as soon as PostgreSQL accepts connections. */
async function begin() {
  for (;;) {
    let tx;
    try {
      tx = await pool.connect();
      tx.on('error', ignore);
      await tx.query('BEGIN');
      return tx;
    } catch {
      tx?.release(true);
      await elapsed(AFTER_FAILURE_MS);
    }
  }
}

async function makeTransaction(tx, nth) {
  process.stdout.write(`begun ${nth}\n`);
  try {
    process.stdout.write(`${await change(tx, nth)} ${nth}\n`);
    tx.off('error', ignore);
    tx.release();
  } catch {
    process.stdout.write(`failed ${nth}\n`);
    tx.release(true);
  }
}

let next = first;
async function makeTransactions() {
  for (;;) {
    const tx = await begin();
    if (next >= last) {
      tx.release(true);
      return;
    }
    // A transaction takes its number and prints `begun` immediately, so a kill skips no number.
    next += 1;
    await makeTransaction(tx, next - 1);
  }
}

await Promise.all(Array.from({ length: lanes }, makeTransactions));
await auth.close();
await endConnections();
