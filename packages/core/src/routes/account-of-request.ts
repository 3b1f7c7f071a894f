import { type AccountId, canHaveWebhooks } from '../account-id.ts';
import type { AnyAuthInfo } from '../bearer/auth-info.ts';
import { mayActFor } from '../bearer/authorize.ts';
import { foreignAccount } from '../bearer/bearer-rejections.ts';

/**
 * The account of a request: the account that the request names, else the account that its credential is bound to, else
 * the user's first account that can have webhooks.
 *
 * @throws {AuthError} `access_denied` if it is not an account of the user, or not the bound account, or if there is
 * none
 */
export function accountOfRequest(
  auth: Pick<AnyAuthInfo, 'accountId' | 'accounts'>,
  requested: AccountId | undefined,
): AccountId {
  const accountId = requested ?? auth.accountId ?? auth.accounts.find(canHaveWebhooks);
  if (!mayActFor(auth, accountId) || !canHaveWebhooks(accountId)) throw foreignAccount;
  return accountId;
}
