import type { AccountId } from '../../account-id.ts';
import type { AnyAuthInfo } from '../../bearer/auth-info.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import { accountOfRequest } from '../account-of-request.ts';

/** The input of every request for one webhook. */
export interface WebhookInput {
  readonly auth: AnyAuthInfo;
  readonly params: { readonly id: string };
  readonly query: { readonly account_id?: AccountId | undefined };
}

/**
 * Names the webhook of a request within the account of the request, so that nobody can address a webhook of another
 * account.
 *
 * @throws {AuthError} `access_denied`
 */
export function webhookRef({ auth, params, query }: WebhookInput): WebhookRef {
  return { accountId: accountOfRequest(auth, query.account_id), webhookId: params.id };
}
