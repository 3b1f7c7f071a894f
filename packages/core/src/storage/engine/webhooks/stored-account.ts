import type { AccountId } from '../../../account-id.ts';
import { accountName } from '../../../account-name.ts';
import { LONGEST_RATE_MARGIN_MS } from '../../delivery-timing.ts';
import { keyOf, sortKeyOf } from '../engine-calls.ts';
import type { Row } from '../storage-engine.ts';

/**
 * The partition of an account. Each transition of webhooks and deliveries accesses one partition; a claim runs one
 * transition per account.
 */
export function accountPartition(accountId: AccountId): string {
  return keyOf('account', accountName(accountId));
}

/**
 * An account whose webhooks have deliveries waiting or in flight. It is the only row of an account that claims find
 * over all partitions, by two indexes: `account-due`, by when the account can start an attempt or a lease ends, and
 * `account-saved`, by about when it was stored.
 */
export interface StoredAccount {
  readonly accountId: AccountId;
  /** The number of waiting deliveries of enabled webhooks. */
  readonly waiting: number;
  readonly inFlight: number;
  /** The earliest `dueAtMs` of its webhooks. */
  readonly dueAtMs: number | null;
  /** No lease of the account ends before this. */
  readonly leasesEndAtMs: number | null;
  /** Whether its webhooks wait for one of the account's attempts to end. */
  readonly isCapped: boolean;
  readonly savedAtMs: number;
}

/** An account without deliveries. */
export function newAccount(accountId: AccountId, nowMs: number): StoredAccount {
  return {
    accountId,
    waiting: 0,
    inFlight: 0,
    dueAtMs: null,
    leasesEndAtMs: null,
    isCapped: false,
    savedAtMs: nowMs,
  };
}

/**
 * How many transactions a call over several accounts runs in parallel: several, to wait for fewer round trips one after
 * another, but few enough to leave connections of the pool for logins.
 */
export const TRANSACTIONS_AT_ONCE = 4;

/** The indexes of accounts, over all partitions. */
export const ACCOUNTS_DUE = 'account-due';
export const ACCOUNTS_SAVED = 'account-saved';

/**
 * A clock that runs back by more than this counts as set back, ms. Smaller steps are normal if the clocks of several
 * servers differ, and delay deliveries by no more than that. A rate margin is never larger.
 */
export const SET_BACK_MS = LONGEST_RATE_MARGIN_MS;

/**
 * The sort keys of accounts in `account-saved` are rounded up to this, ms, so that most writes leave them. A claim
 * checks the exact time.
 */
const SAVED_STEP_MS = 1_000;

/** The key of the account's row. */
export const ACCOUNT = 'account';

/** When to claim from an account, ms; `null`: not before something else happens. */
export function nextCheckAtMs({ isCapped, dueAtMs, leasesEndAtMs }: StoredAccount): number | null {
  return earliestOf([isCapped ? null : dueAtMs, leasesEndAtMs]);
}

/** Whether an attempt of the account can start now. */
export function isAccountDue({ isCapped, dueAtMs }: StoredAccount, nowMs: number): boolean {
  return !isCapped && dueAtMs !== null && dueAtMs <= nowMs;
}

/** `null` if all times are `null`. */
export function earliestOf(times: readonly (number | null)[]): number | null {
  const earliestMs = Math.min(...times.map((atMs) => atMs ?? Infinity));
  return earliestMs === Infinity ? null : earliestMs;
}

/**
 * The row of an account; `null`: nothing waits or is in flight, so no row is needed.
 *
 * @param partition - the partition of the account
 */
export function accountRow(account: StoredAccount, partition: string): Row | null {
  const atMs = nextCheckAtMs(account);
  if (atMs === null && account.waiting === 0 && account.inFlight === 0) return null;
  return {
    key: ACCOUNT,
    value: account,
    indexes: {
      [ACCOUNTS_SAVED]: sortKeyOf(Math.ceil(account.savedAtMs / SAVED_STEP_MS) * SAVED_STEP_MS),
      // The partition makes the sort key unique, so that it can be a cursor.
      ...(atMs !== null && {
        [ACCOUNTS_DUE]: `${sortKeyOf(atMs)}:${partition}`,
      }),
    },
    expiresAtMs: null,
  };
}

export function accountIn({ value }: Row): StoredAccount {
  return value as StoredAccount;
}
