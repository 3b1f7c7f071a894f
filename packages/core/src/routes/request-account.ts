import { type AccountId, canHaveWebhooks } from '../account-id.ts';
import type { AnyAuthInfo } from '../bearer/auth-info.ts';
import { mayActFor } from '../bearer/authorize.ts';
import { foreignAccount } from '../bearer/bearer-rejections.ts';

/**
 * The account of a request: the one that it names, else the one that its credential is bound to, else the user's first
 * that can have webhooks.
 *
 * @throws {AuthError} `access_denied` if that is not one of the user's, or not the bound one, or if there is none
 */
export function requestAccount(
  auth: Pick<AnyAuthInfo, 'accountId' | 'accounts'>,
  asked: AccountId | undefined,
): AccountId {
  const accountId = asked ?? auth.accountId ?? auth.accounts.find(canHaveWebhooks);
  if (!mayActFor(auth, accountId) || !canHaveWebhooks(accountId)) throw foreignAccount;
  return accountId;
}
