import type * as v from 'valibot';
import { timeText } from '../../../schema/answer-fields.ts';
import type { PersonalAccessTokenRecord } from '../../../storage/personal-access-token-store.ts';
import type { newPatAnswer, patAnswer } from './pat-schemas.ts';

/** A personal access token as its owner sees it in lists. */
export function patBody(record: PersonalAccessTokenRecord): v.InferOutput<typeof patAnswer> {
  const { tokenId: id, name, prefix, scopes, accountId, lastUsedAtMs } = record;
  return {
    id,
    name,
    prefix,
    scopes,
    account_id: accountId,
    created_at: timeText(record.createdAtMs),
    expires_at: timeText(record.expiresAtMs),
    last_used_at: lastUsedAtMs === null ? null : timeText(lastUsedAtMs),
  };
}

/** The same at its creation, which is the only answer that contains the token. */
export function newPatBody(
  record: PersonalAccessTokenRecord,
  token: string,
): v.InferOutput<typeof newPatAnswer> {
  const { id, ...rest } = patBody(record);
  return { id, token, ...rest };
}
