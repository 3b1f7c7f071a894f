import type { AuthInfo } from '../bearer/auth-info.ts';
import { mayActFor } from '../bearer/authorize.ts';
import { foreignAccount } from '../bearer/bearer-refusals.ts';

/**
 * The account that a request is about: the one that it asks for, else the one that its credential is bound to,
 * else the user's first.
 *
 * @throws {AuthError} `access_denied` where that is not one of the user's, or not the bound one, or the user has none
 */
export function requestAccount(
  auth: Pick<AuthInfo, 'accountId' | 'accounts'>,
  asked: number | undefined,
): number {
  const accountId = asked ?? auth.accountId ?? auth.accounts[0];
  if (!mayActFor(auth, accountId)) throw foreignAccount;
  return accountId;
}
