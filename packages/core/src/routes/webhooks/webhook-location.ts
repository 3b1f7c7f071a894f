import type { AccountId } from '../../account-id.ts';
/**
 * The `Location` of a webhook, in the form in which the client that registered it must request it.
 *
 * @param url - the URL of the webhook, as the host knows it
 * @param query - of the request that registered it
 */
export function webhookLocation(
  url: string,
  query: { readonly account_id?: AccountId | undefined },
): string {
  // Only a path: the client may have reached the host by another origin.
  const path = new URL(url).pathname;
  // Without the account, a token that is bound to none would address the user's first one.
  return query.account_id === undefined
    ? path
    : `${path}?account_id=${encodeURIComponent(query.account_id)}`;
}
