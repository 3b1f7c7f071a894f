import { LONGEST_PENDING_MS } from '@latchhook/core/storage';

/**
 * The assignments of `UPDATE personal_access_tokens SET` that revoke a token. The row is kept for as long as a repeated
 * `create` may be pending: such a call finds the row and does not revive the token. Needs `now_ms`.
 */
export const SET_REVOKED = `is_revoked = true, forget_at_ms = now_ms + ${LONGEST_PENDING_MS}`;
