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
 * Every transition that changes queues of an account takes this lock first, except `note_time`, which skips locked
 * rows. Claims skip a locked account. Successful attempts may be completed without the lock, so a claim may count too
 * many attempts in flight, but never too few: see `hold_cap`. Publishing only appends, so it needs no lock. A
 * transition locks several accounts in sorted order, and the row of a webhook after its account.
 */
export const lockAccount: SqlDefinition = defineStep({
  name: 'lock_account',
  params: 'p_account_id text',
  returns: 'void',
  body: `PERFORM pg_advisory_xact_lock(${lockOf('queues')});`,
});

/**
 * `try_account(p_account_id)`: tries to take the lock of `lock_account` without waiting, and returns whether it did.
 */
export const tryAccount: SqlDefinition = defineStep({
  name: 'try_account',
  params: 'p_account_id text',
  returns: 'boolean',
  body: `RETURN pg_try_advisory_xact_lock(${lockOf('queues')});`,
});

/**
 * `hold_cap(p_account_id)`: a shared lock. Until the transaction ends, no claim marks a queue of the account as capped,
 * which means that it waits for an attempt to end. All transactions that complete attempts hold this lock, in parallel,
 * and so see all capped queues. If no queue is capped, they need no lock of the account, and run in parallel with
 * claims.
 */
export const holdCap: SqlDefinition = defineStep({
  name: 'hold_cap',
  params: 'p_account_id text',
  returns: 'void',
  body: `PERFORM pg_advisory_xact_lock_shared(${lockOf('leases')});`,
});

/**
 * `try_cap(p_account_id)`: tries to take the lock of `hold_cap` exclusively without waiting, and returns whether it
 * did. If so, no attempt of the account is being completed, nor will be until the transaction ends.
 */
export const tryCap: SqlDefinition = defineStep({
  name: 'try_cap',
  params: 'p_account_id text',
  returns: 'boolean',
  body: `RETURN pg_try_advisory_xact_lock(${lockOf('leases')});`,
});
