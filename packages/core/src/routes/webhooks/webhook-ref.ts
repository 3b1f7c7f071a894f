import type { AccountId } from '../../account-id.ts';
import type { AnyAuthInfo } from '../../bearer/auth-info.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import { requestAccount } from '../request-account.ts';

/** What every request for one webhook has. */
export interface WebhookInput {
  readonly auth: AnyAuthInfo;
  readonly params: { readonly id: string };
  readonly query: { readonly account_id?: AccountId | undefined };
}

/**
 * Names the webhook that a request is about, within the account that it is about: nobody can ask for one of another
 * account.
 *
 * @throws {AuthError} `access_denied`
 */
export function webhookRef({ auth, params, query }: WebhookInput): WebhookRef {
  return { accountId: requestAccount(auth, query.account_id), webhookId: params.id };
}
