import { type AccountId, isAccountId } from './account-id.ts';

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
