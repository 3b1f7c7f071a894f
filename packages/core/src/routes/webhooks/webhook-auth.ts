/**
 * The authorization that every webhook endpoint requires.
 *
 * Security: a webhook outlives the token by which it was registered or changed, so the user store is asked whether the
 * user may still act for the account.
 */
export const webhookAuth = { scope: 'user', checkUserStatus: true } as const;
