/** Defaults of the policy, ms. */

export const SECOND_MS = 1_000;
export const TOTP_STEP_MS = 30_000;
/** How long a predecessor gets the successor of its rotation. */
export const GRACE_MS = 60_000;
export const CHALLENGE_MS = 300_000;
/** The maximum age of a login that may change factors. */
export const RECENT_LOGIN_MS = 300_000;
