/** Names an account of the host: an integer or a text, by the option `accounts.id`. */
export type AccountId = number | string;

/** The ids of each kind. */
export interface AccountIds {
  readonly integer: number;
  readonly string: string;
}

/** What the option `accounts.id` says. */
export type AccountIdKind = keyof AccountIds;

/** Visible ASCII: what stands in a claim, a query and a log as it is, and looks like no other. */
export const ACCOUNT_ID_TEXT = /^[!-~]{1,64}$/;
export const ACCOUNT_ID_TEXT_RULE = 'a string of 1 to 64 visible ASCII characters';

const IS_ID: Readonly<Record<AccountIdKind, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  string: (value) => typeof value === 'string' && ACCOUNT_ID_TEXT.test(value),
};

/** Each kind in words, and what to give `createAuth` for it. */
const KINDS: Readonly<
  Record<AccountIdKind, { readonly one: string; readonly many: string; readonly option: string }>
> = {
  integer: {
    one: 'an integer from 1',
    many: 'integers',
    option: "ids that are integers need accounts: { id: 'integer' } of createAuth, the default",
  },
  string: {
    one: ACCOUNT_ID_TEXT_RULE,
    many: 'strings of 1 to 64 visible ASCII characters',
    option: "ids that are strings need accounts: { id: 'string' } of createAuth",
  },
};

/** Whether a token can name an account so. An integer below 1 can be in one, though no webhook is of its account. */
export function isAccountId(kind: AccountIdKind, value: unknown): value is AccountId {
  return IS_ID[kind](value);
}

/** An integer below 1 cannot be asked for, and so its webhooks could not be read. */
export function canHaveWebhooks(accountId: AccountId): boolean {
  return typeof accountId === 'string' || accountId >= 1;
}

/**
 * For a mistake of the integrator, who may have no compiler to find it.
 *
 * @param role - what the account is to the call
 * @throws {TypeError}
 */
export function assertAccountId(kind: AccountIdKind, accountId: unknown, role: string): void {
  if (isAccountId(kind, accountId) && canHaveWebhooks(accountId)) return;
  throw new TypeError(`accountId must be ${KINDS[kind].one}: ${role}${hintOf(kind, [accountId])}`);
}

/** What is wrong with the accounts of a user, in words; `null`: nothing. Allocates nothing then. */
export function mistakeInAccounts(kind: AccountIdKind, accounts: unknown): string | null {
  const isList = Array.isArray(accounts);
  if (isList && accounts.every(IS_ID[kind])) return null;
  return `must be an array of ${KINDS[kind].many}${isList ? hintOf(kind, accounts) : ''}`;
}

/** What is wrong with an id if it is of the other kind, `NaN` for a number too, in words; `null`: it is not. */
export function mistakeInKind(kind: AccountIdKind, accountId: unknown): string | null {
  const other = otherThan(kind);
  if (typeof accountId !== (other === 'string' ? 'string' : 'number')) return null;
  const advice = isDigits(kind, accountId) ? CONVERT : KINDS[other].option;
  return `must be ${KINDS[kind].one}; ${advice}`;
}

function otherThan(kind: AccountIdKind): AccountIdKind {
  return kind === 'integer' ? 'string' : 'integer';
}

const CONVERT = 'convert it: Number(id), or id::int of a bigint in PostgreSQL';

/** Where these are ids of the other kind, or integers as drivers give a column of the type `bigint`. */
function hintOf(kind: AccountIdKind, given: readonly unknown[]): string {
  if (given.length > 0 && given.every((id) => isDigits(kind, id))) return `; ${CONVERT}`;
  const other = otherThan(kind);
  const isOther = given.length > 0 && given.every((id) => isAccountId(other, id));
  return isOther ? `; ${KINDS[other].option}` : '';
}

/** An integer by another type, where ids are integers. */
function isDigits(kind: AccountIdKind, id: unknown): boolean {
  if (kind === 'string') return false;
  return typeof id === 'bigint' || (typeof id === 'string' && /^\d+$/.test(id));
}

/**
 * An account by one text, whatever its id is: an integer as its digits, a text behind `=` with all but `A-Z`, `a-z`,
 * `0-9` and `-_.!~*'()` percent-encoded. So no id is another's, and none
 * reaches out of a longer name: behind it may stand `/`, `:`, a space or a brace.
 */
export function accountName(accountId: AccountId): string {
  return typeof accountId === 'number' ? String(accountId) : `=${encodeURIComponent(accountId)}`;
}

/**
 * Reads what {@link accountName} wrote.
 *
 * @throws {Error} where it is malformed
 */
export function parseAccountName(name: string): AccountId {
  const accountId = name.startsWith('=') ? decodeURIComponent(name.slice(1)) : Number(name);
  if (
    accountName(accountId) === name &&
    isAccountId(typeof accountId === 'string' ? 'string' : 'integer', accountId)
  )
    return accountId;
  throw new Error('The storage holds a malformed name of an account.');
}
