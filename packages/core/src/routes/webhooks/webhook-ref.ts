import type { AuthInfo } from '../../bearer/auth-info.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import { requestAccount } from '../request-account.ts';

/** What a request for one webhook has, whatever it asks for. */
export interface WebhookInput {
  readonly auth: AuthInfo;
  readonly params: { readonly id: string };
  readonly query: { readonly account_id?: number | undefined };
}

/**
 * Names the webhook that a request is about, within the account that it is about: that of another account
 * cannot even be asked for.
 *
 * @throws {AuthError} `access_denied`
 */
export function webhookRef({ auth, params, query }: WebhookInput): WebhookRef {
  return { accountId: requestAccount(auth, query.account_id), webhookId: params.id };
}
