import type {
  CreatePersonalAccessTokenOutcome,
  NewPersonalAccessToken,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseTokenRecord, tokenGrantOf } from '../../personal-access-token-record.ts';
import { deleteExpired } from '../internal/delete-expired.ts';

/**
 * Stores a token, unless its user has reached the limit.
 *
 * Outcomes: `created`, with the record; `limit_reached`. If the hash is known, nothing changes, even if that token was
 * revoked: the outcome is `created` with the existing record.
 *
 * It locks the user before it counts. Otherwise parallel calls could all create the last token that the limit allows.
 * Because of the lock, tokens also become visible in the order of their sequences.
 *
 * Also deletes a few expired tokens of any user, as `start_session` does with sessions.
 */
export const createTokenFunction = defineFunction({
  name: 'create_personal_access_token',
  args: {
    userId: 'text',
    tokenId: 'text',
    tokenHash: 'text',
    grant: 'json',
    ttlMs: 'bigint',
    maxPerUser: 'bigint',
  },
  declare: `
token personal_access_tokens;
live_count bigint;
newest bigint;
`,
  body: `
PERFORM lock_user(p_user_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO token FROM personal_access_tokens WHERE token_hash = p_token_hash;
IF FOUND THEN RETURN json_build_object('outcome', 'created', 'token', token_record(token)); END IF;
SELECT count(*), max(sequence) INTO live_count, newest FROM personal_access_tokens
WHERE user_id = p_user_id AND NOT is_revoked AND now_ms < expires_at_ms;
IF live_count >= p_max_per_user THEN RETURN json_build_object('outcome', 'limit_reached'); END IF;

INSERT INTO personal_access_tokens (token_hash, user_id, token_id, token_grant, sequence,
  created_at_ms, expires_at_ms, forget_at_ms)
VALUES (p_token_hash, p_user_id, p_token_id, p_grant::text,
  -- The sequence is derived from the time, as a counter for all users would reveal how many tokens there are.
  greatest(now_ms, newest + 1), now_ms, now_ms + p_ttl_ms, now_ms + p_ttl_ms)
RETURNING * INTO token;
${deleteExpired('personal_access_tokens', 'forget_at_ms')}
RETURN json_build_object('outcome', 'created', 'token', token_record(token));
`,
});

export async function createToken(
  call: CallFunction,
  token: NewPersonalAccessToken,
  { maxPerUser }: { readonly maxPerUser: number },
): Promise<CreatePersonalAccessTokenOutcome> {
  const args = { ...token, grant: tokenGrantOf(token), maxPerUser };
  const result = await call(createTokenFunction, args);
  const outcome = result.outcome(['created', 'limit_reached']);
  if (outcome === 'limit_reached') return { outcome };
  return { outcome, token: parseTokenRecord(result.object('token')) };
}
