/**
 * What every webhook endpoint demands of its clients.
 *
 * Security: a webhook outlives the token by which it was registered or redirected. So the user store is asked whether
 * the user may still act for the account.
 */
export const webhookAuth = { scope: 'user', checkUserStatus: true } as const;
