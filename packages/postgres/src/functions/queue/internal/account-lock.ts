import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/**
 * The key of the advisory lock of an account in this schema. Two accounts with the same hash wait for each other, which
 * does no harm.
 */
function lockOf(table: string): string {
  return `hashtextextended(p_account_id, '${table}'::regclass::oid::bigint)`;
}

/**
 * `lock_account(p_account_id)`: until the transaction ends, no other transaction changes a queue of the account.
 *
 * Every transition that changes queues of an account takes this lock first, except `record_time`, which skips locked
 * rows. Claims skip a locked account. Successful attempts may be completed without the lock, so a claim may count too
 * many attempts in flight, but never too few: see `lock_capping_shared`. Publishing only appends, so it needs no lock.
 * A transition locks several accounts in sorted order, and the row of a webhook after its account.
 */
export const lockAccount: SqlDefinition = defineStep({
  name: 'lock_account',
  params: 'p_account_id text',
  returns: 'void',
  body: `PERFORM pg_advisory_xact_lock(${lockOf('queues')});`,
});

/** `try_lock_account(p_account_id)`: takes the lock of `lock_account` if it is free, and returns whether it was. */
export const tryLockAccount: SqlDefinition = defineStep({
  name: 'try_lock_account',
  params: 'p_account_id text',
  returns: 'boolean',
  body: `RETURN pg_try_advisory_xact_lock(${lockOf('queues')});`,
});

/**
 * `lock_capping_shared(p_account_id)`: until the transaction ends, no claim marks a queue of the account as capped,
 * which means that the queue waits for an attempt to end. All transactions that complete attempts share this lock, and
 * so see all capped queues. If no queue is capped, they need no lock of the account, and run in parallel with claims.
 */
export const lockCappingShared: SqlDefinition = defineStep({
  name: 'lock_capping_shared',
  params: 'p_account_id text',
  returns: 'void',
  body: `PERFORM pg_advisory_xact_lock_shared(${lockOf('leases')});`,
});

/**
 * `try_lock_capping(p_account_id)`: takes the lock of `lock_capping_shared` exclusively if it is free, and returns
 * whether it was. If so, no attempt of the account is being completed, nor will be until the transaction ends.
 */
export const tryLockCapping: SqlDefinition = defineStep({
  name: 'try_lock_capping',
  params: 'p_account_id text',
  returns: 'boolean',
  body: `RETURN pg_try_advisory_xact_lock(${lockOf('leases')});`,
});
