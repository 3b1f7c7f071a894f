import { LONGEST_PENDING_MS } from '@latchhook/core/storage';

/**
 * What `UPDATE personal_access_tokens SET` sets to revoke a token. The row stays for a while, so that a `create` that
 * is sent again finds it and revives nothing. Needs `now_ms`.
 */
export const END_TOKEN = `is_revoked = true, forget_at_ms = now_ms + ${LONGEST_PENDING_MS}`;
