/**
 * What every webhook endpoint asks of its callers.
 *
 * Security: a webhook outlives the token by which it was registered or turned elsewhere. So the directory is asked
 * whether the user may still act for the account.
 */
export const webhookAuth = { scope: 'user', standing: 'now' } as const;
