import type { PersonalAccessTokenGrant, PersonalAccessTokenRecord } from '@latchhook/core/storage';
import type { FunctionResult } from './function-result.ts';

/** The fields of a token that never change. Each field is named, so that nothing else is stored. */
export function tokenGrantOf(token: PersonalAccessTokenGrant): PersonalAccessTokenGrant {
  const { userId, tokenId, name, prefix, scopes, accountId } = token;
  return { userId, tokenId, name, prefix, scopes, accountId };
}

/** Parses the result of `token_record`. */
export function parseTokenRecord(result: FunctionResult): PersonalAccessTokenRecord {
  return {
    sequence: result.integer('sequence'),
    createdAtMs: result.integer('createdAtMs'),
    expiresAtMs: result.integer('expiresAtMs'),
    lastUsedAtMs: result.integerOrNull('lastUsedAtMs'),
    ...tokenGrantOf(JSON.parse(result.text('grant'))),
  };
}

/** Parses the result of a function that looks up one token. */
export function parseFoundToken(result: FunctionResult): PersonalAccessTokenRecord | null {
  if (result.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseTokenRecord(result.object('token'));
}
