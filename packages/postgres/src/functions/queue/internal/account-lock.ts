import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/** A lock for each account of the schema. Two accounts that share one by accident wait for one another. */
function lockOf(table: string): string {
  return `hashtextextended(p_account_id, '${table}'::regclass::oid::bigint)`;
}

/**
 * `lock_account(p_account_id)`: until its transaction ends, no other changes any queue of the account.
 *
 * Whatever changes queues of an account holds this lock first, but for `note_time`, which skips rows that are locked.
 * Claims pass an account over that is locked. Attempts that succeed may end without it, so what a claim counts as in
 * flight may be too high, never too low: see `hold_cap`. Publishing only appends, and does without. A transition that
 * locks several accounts locks them in their order; one that also locks the row of a webhook locks that afterwards.
 */
export const lockAccount: SqlDefinition = defineStep({
  name: 'lock_account',
  params: 'p_account_id text',
  returns: 'void',
  body: `PERFORM pg_advisory_xact_lock(${lockOf('queues')});`,
});

/** `try_account(p_account_id)`: locks it, and returns whether it has, unless another transaction holds it. */
export const tryAccount: SqlDefinition = defineStep({
  name: 'try_account',
  params: 'p_account_id text',
  returns: 'boolean',
  body: `RETURN pg_try_advisory_xact_lock(${lockOf('queues')});`,
});

/**
 * `hold_cap(p_account_id)`: until its transaction ends, no claim says of a queue of the account that it waits for an
 * attempt to end. All transactions that end attempts hold it, in parallel, and so find all queues that wait for that:
 * where none does, attempts end without a lock of the account, while others claim.
 */
export const holdCap: SqlDefinition = defineStep({
  name: 'hold_cap',
  params: 'p_account_id text',
  returns: 'void',
  body: `PERFORM pg_advisory_xact_lock_shared(${lockOf('leases')});`,
});

/** `try_cap(p_account_id)`: returns whether no attempt of the account is just ending; none does from here on. */
export const tryCap: SqlDefinition = defineStep({
  name: 'try_cap',
  params: 'p_account_id text',
  returns: 'boolean',
  body: `RETURN pg_try_advisory_xact_lock(${lockOf('leases')});`,
});
