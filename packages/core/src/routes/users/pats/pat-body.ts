import type * as v from 'valibot';
import { timeText } from '../../../schema/answer-fields.ts';
import type { ScopeTable } from '../../../scopes/scope-table.ts';
import type { PersonalAccessTokenRecord } from '../../../storage/personal-access-token-store.ts';
import type { PatSchemas } from './pat-schemas.ts';

/**
 * A personal access token as its owner sees it in lists, without scopes that its uses no longer get: those that the app
 * has removed or made `stepUp`.
 */
export function patBody(
  record: PersonalAccessTokenRecord,
  scopeTable: ScopeTable,
): v.InferOutput<PatSchemas['patAnswer']> {
  const { tokenId: id, name, prefix, scopes, accountId, lastUsedAtMs } = record;
  return {
    id,
    name,
    prefix,
    scopes: scopeTable.lasting(scopes),
    account_id: accountId,
    created_at: timeText(record.createdAtMs),
    expires_at: timeText(record.expiresAtMs),
    last_used_at: lastUsedAtMs === null ? null : timeText(lastUsedAtMs),
  };
}

/** A new personal access token: the only response that contains the token itself. */
export function newPatBody(
  record: PersonalAccessTokenRecord,
  token: string,
  scopeTable: ScopeTable,
): v.InferOutput<PatSchemas['newPatAnswer']> {
  const { id, ...rest } = patBody(record, scopeTable);
  return { id, token, ...rest };
}
