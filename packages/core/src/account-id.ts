/** Names an account of the host: an integer or a text, by the option `accounts.id`. */
export type AccountId = number | string;

/** The ids of each kind. */
export interface AccountIds {
  readonly integer: number;
  readonly string: string;
}

/** The values of the option `accounts.id`. */
export type AccountIdKind = keyof AccountIds;

/** Visible ASCII only: no spaces, control characters or lookalikes of other scripts in claims, queries and logs. */
export const ACCOUNT_ID_TEXT = /^[!-~]{1,64}$/;
export const ACCOUNT_ID_TEXT_RULE = 'a string of 1 to 64 visible ASCII characters';

/** Whether a value is an account id of this kind. An integer below 1 is an id too, though it can have no webhooks. */
export const IS_ACCOUNT_ID: Readonly<Record<AccountIdKind, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  string: (value) => typeof value === 'string' && ACCOUNT_ID_TEXT.test(value),
};

export function isAccountId(kind: AccountIdKind, value: unknown): value is AccountId {
  return IS_ACCOUNT_ID[kind](value);
}

/** Routes accept only integers from 1 as an account id, so webhooks of any other integer could not be read. */
export function canHaveWebhooks(accountId: AccountId): boolean {
  return typeof accountId === 'string' || accountId >= 1;
}

/**
 * Encodes an account id of either kind as text: an integer as its digits, a string as `=` and its percent-encoding (of
 * all but `A-Z`, `a-z`, `0-9` and `-_.!~*'()`). No two ids have the same text. It contains no `/`, `:`, space or brace,
 * so any of these can end it within a longer name.
 */
export function accountName(accountId: AccountId): string {
  return typeof accountId === 'number' ? String(accountId) : `=${encodeURIComponent(accountId)}`;
}

/**
 * Reads what {@link accountName} wrote.
 *
 * @throws {Error} if the name is malformed
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

/** Each kind in the words of messages, the type of its ids, and the option of `createAuth` that selects the kind. */
const KINDS: Readonly<
  Record<
    AccountIdKind,
    { readonly one: string; readonly many: string; readonly type: string; readonly option: string }
  >
> = {
  integer: {
    one: 'an integer from 1',
    many: 'integers',
    type: 'number',
    option: "ids that are integers need accounts: { id: 'integer' } of createAuth, the default",
  },
  string: {
    one: ACCOUNT_ID_TEXT_RULE,
    many: 'strings of 1 to 64 visible ASCII characters',
    type: 'string',
    option: "ids that are strings need accounts: { id: 'string' } of createAuth",
  },
};

/**
 * Rejects an account id that the host's own code passes: plain JavaScript has no compiler to find the mistake.
 *
 * @param role - what the call needs the account for, as the end of the message
 * @throws {TypeError}
 */
export function assertAccountId(kind: AccountIdKind, accountId: unknown, role: string): void {
  if (isAccountId(kind, accountId) && canHaveWebhooks(accountId)) return;
  throw new TypeError(`accountId must be ${KINDS[kind].one}: ${role}${hintOf(kind, [accountId])}`);
}

/** Says what is wrong with a user's accounts, which are not a list of ids of this kind. */
export function mistakeInAccounts(kind: AccountIdKind, accounts: unknown): string {
  const hint = Array.isArray(accounts) ? hintOf(kind, accounts) : '';
  return `must be an array of ${KINDS[kind].many}${hint}`;
}

/** Says what is wrong with an id of the other kind; `null` for any other value. `NaN` counts as an integer. */
export function mistakeInKind(kind: AccountIdKind, accountId: unknown): string | null {
  const otherKind = otherThan(kind);
  if (typeof accountId !== KINDS[otherKind].type) return null;
  const advice = isDigits(kind, accountId) ? CONVERT : KINDS[otherKind].option;
  return `must be ${KINDS[kind].one}; ${advice}`;
}

function otherThan(kind: AccountIdKind): AccountIdKind {
  return kind === 'integer' ? 'string' : 'integer';
}

const CONVERT = 'convert it: Number(id), or id::int of a bigint in PostgreSQL';

/**
 * The end of a message: a hint if any of the invalid ids is of the other kind, or an integer of a `bigint` column as
 * database drivers return it; otherwise empty.
 */
function hintOf(kind: AccountIdKind, ids: readonly unknown[]): string {
  const invalid = ids.filter((id) => !isAccountId(kind, id));
  if (invalid.length > 0 && invalid.every((id) => isDigits(kind, id))) return `; ${CONVERT}`;
  const otherKind = otherThan(kind);
  const isOther = (id: unknown) => isAccountId(otherKind, id) || typeof id === 'bigint';
  return invalid.some(isOther) ? `; ${KINDS[otherKind].option}` : '';
}

/**
 * Whether integers are expected, and the id is an integer as a `bigint` or as a string of digits that a number can
 * hold.
 */
function isDigits(kind: AccountIdKind, id: unknown): boolean {
  if (kind === 'string' || !Number.isSafeInteger(Number(id))) return false;
  return typeof id === 'bigint' || (typeof id === 'string' && /^\d+$/.test(id));
}
