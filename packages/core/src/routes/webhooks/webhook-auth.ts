/**
 * What every webhook endpoint requires of its clients.
 *
 * Security: a webhook outlives the token by which it was registered or changed. So the user store is asked whether the
 * user may still act for the account.
 */
export const webhookAuth = { scope: 'user', checkUserStatus: true } as const;
