import type {
  NewPersonalAccessToken,
  PersonalAccessTokenGrant,
  PersonalAccessTokenRecord,
} from '@latchhook/core/storage';
import type { FunctionResult } from './function-result.ts';

/** The fields of a token that never change. Each field is named, so that nothing else is stored. */
export function tokenGrantOf(token: NewPersonalAccessToken): PersonalAccessTokenGrant {
  const { userId, tokenId, name, prefix, scopes, accountId } = token;
  return { userId, tokenId, name, prefix, scopes, accountId };
}

/** Parses the result of `token_record`. */
export function parseTokenRecord(result: FunctionResult): PersonalAccessTokenRecord {
  const grant: PersonalAccessTokenGrant = JSON.parse(result.text('grant'));
  return {
    userId: grant.userId,
    tokenId: grant.tokenId,
    name: grant.name,
    prefix: grant.prefix,
    scopes: grant.scopes,
    accountId: grant.accountId,
    sequence: result.integer('sequence'),
    createdAtMs: result.integer('createdAtMs'),
    expiresAtMs: result.integer('expiresAtMs'),
    lastUsedAtMs: result.integerOrNull('lastUsedAtMs'),
  };
}

/** Parses the result of a function that looks up one token. */
export function parseFoundToken(result: FunctionResult): PersonalAccessTokenRecord | null {
  if (result.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseTokenRecord(result.object('token'));
}
