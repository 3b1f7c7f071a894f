import {
  ACCOUNT_ID_TEXT_RULE,
  type AccountIdKind,
  canHaveWebhooks,
  isAccountId,
} from './account-id.ts';

/** Each kind in the words of messages, the type of its ids, and the option of `createAuth` that selects the kind. */
const KINDS = {
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
} as const;

const CONVERT = 'convert it: Number(id), or id::int of a bigint in PostgreSQL';

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
  const advice = isConvertible(kind, accountId) ? CONVERT : KINDS[otherKind].option;
  return `must be ${KINDS[kind].one}; ${advice}`;
}

function otherThan(kind: AccountIdKind): AccountIdKind {
  return kind === 'integer' ? 'string' : 'integer';
}

/**
 * The end of a message: a hint, or nothing. If all invalid ids are integers in a form in which drivers return a
 * `bigint` column (`1n`, `'1'`), the hint is to convert them; otherwise, if one of them is of the other kind, to set
 * the option.
 */
function hintOf(kind: AccountIdKind, ids: readonly unknown[]): string {
  const invalid = ids.filter((id) => !isAccountId(kind, id));
  if (invalid.length > 0 && invalid.every((id) => isConvertible(kind, id))) return `; ${CONVERT}`;
  const otherKind = otherThan(kind);
  const isOther = (id: unknown) =>
    isAccountId(otherKind, id) || (kind === 'string' && typeof id === 'bigint');
  return invalid.some(isOther) ? `; ${KINDS[otherKind].option}` : '';
}

/** Whether an integer is expected, and the id is one as a `bigint` or as digits: `1n`, `'1'`. */
function isConvertible(kind: AccountIdKind, id: unknown): boolean {
  const isInteger = typeof id === 'bigint' || (typeof id === 'string' && /^\d+$/.test(id));
  return kind === 'integer' && isInteger && Number.isSafeInteger(Number(id));
}
