import { type AccountId, accountName } from '../../../account-id.ts';
import { LONGEST_RATE_MARGIN_MS } from '../../delivery-timing.ts';
import { nameOf, placeOf } from '../engine-calls.ts';
import type { Row } from '../storage-engine.ts';

/** The partition of an account: each transition of webhooks and deliveries is within one, but for claims of several. */
export function accountPartition(accountId: AccountId): string {
  return nameOf('account', accountName(accountId));
}

/**
 * An account whose webhooks have anything to start or in flight. It is the one row of the account that is looked up
 * over all partitions: `due` by when the account can start something or a lease ends, `saved` by when it was stored.
 */
export interface StoredAccount {
  readonly accountId: AccountId;
  /** How many deliveries of enabled webhooks wait. */
  readonly waiting: number;
  readonly inFlight: number;
  /** The earliest `dueAtMs` of its webhooks. */
  readonly dueAtMs: number | null;
  /** No lease ends before. */
  readonly leasesEndAtMs: number | null;
  /** Whether its webhooks wait for one of its attempts to end. */
  readonly isCapped: boolean;
  readonly savedAtMs: number;
}

/**
 * How many transactions one call over several accounts has under way: it waits for fewer round trips, and leaves
 * connections of the pool to logins.
 */
export const TRANSACTIONS_AT_ONCE = 4;

/** The indexes of accounts, over all partitions. */
export const ACCOUNTS_DUE = 'account-due';
export const ACCOUNTS_SAVED = 'account-saved';

/**
 * A time that runs back by less is a matter of clocks that differ, ms, and delays nothing by more. The margin of a rate
 * is never wider.
 */
export const SET_BACK_MS = LONGEST_RATE_MARGIN_MS;

/** The key of its row. */
export const ACCOUNT = 'account';

/** When a claim has to look at an account, ms; `null`: not before something else happens. */
export function nextLookAtMs({ isCapped, dueAtMs, leasesEndAtMs }: StoredAccount): number | null {
  const times = [isCapped ? null : dueAtMs, leasesEndAtMs].filter((atMs) => atMs !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** `null`: nothing of it waits or is in flight. */
export function accountRow(account: StoredAccount): Row | null {
  const atMs = nextLookAtMs(account);
  if (atMs === null && account.waiting === 0 && account.inFlight === 0) return null;
  return {
    key: ACCOUNT,
    value: { ...account },
    indexes: {
      [ACCOUNTS_SAVED]: placeOf(account.savedAtMs),
      // Accounts of the same time in any order that a walk can go on by.
      ...(atMs !== null && {
        [ACCOUNTS_DUE]: `${placeOf(atMs)}:${accountPartition(account.accountId)}`,
      }),
    },
    expiresAtMs: null,
  };
}

export function accountIn({ value }: Row): StoredAccount {
  return value as StoredAccount;
}
