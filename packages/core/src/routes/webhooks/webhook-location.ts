import type { AccountId } from '../../account-id.ts';

/**
 * The `Location` of a webhook, in the form in which the client that registered it must request it.
 *
 * @param url - the URL of the webhook, as the host knows it
 * @param query - the query of the request that registered the webhook
 */
export function webhookLocation(
  url: string,
  query: { readonly account_id?: AccountId | undefined },
): string {
  // Only a path: the client may have reached the host by another origin.
  const path = new URL(url).pathname;
  // Without this query, a token that is bound to no account would address the user's first account.
  return query.account_id === undefined
    ? path
    : `${path}?account_id=${encodeURIComponent(query.account_id)}`;
}
