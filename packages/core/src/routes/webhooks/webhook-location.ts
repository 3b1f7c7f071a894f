import type { AccountId } from '../../account-id.ts';
/**
 * The `Location` of a webhook, as the client that registered it has to ask for it.
 *
 * @param url - that of the webhook, as the host knows it
 * @param query - of the request that registered it
 */
export function webhookLocation(
  url: string,
  query: { readonly account_id?: AccountId | undefined },
): string {
  // Only a path: the client alone knows by which origin it reached the host.
  const path = new URL(url).pathname;
  // Kept in the URL: without it, a token that is bound to no account would ask for the user's first one.
  return query.account_id === undefined
    ? path
    : `${path}?account_id=${encodeURIComponent(query.account_id)}`;
}
