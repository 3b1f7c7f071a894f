import type {
  NewPersonalAccessToken,
  PersonalAccessTokenGrant,
  PersonalAccessTokenRecord,
} from '@latchhook/core/storage';
import type { FunctionAnswer } from './function-answer.ts';

/** The fields of a token that never change. Each is named, so that nothing else is stored. */
export function tokenGrantOf(token: NewPersonalAccessToken): PersonalAccessTokenGrant {
  const { userId, tokenId, name, prefix, scopes, accountId } = token;
  return { userId, tokenId, name, prefix, scopes, accountId };
}

/** Parses the result of `token_answer`. */
export function parseTokenRecord(answer: FunctionAnswer): PersonalAccessTokenRecord {
  const grant: PersonalAccessTokenGrant = JSON.parse(answer.text('grant'));
  return {
    userId: grant.userId,
    tokenId: grant.tokenId,
    name: grant.name,
    prefix: grant.prefix,
    scopes: grant.scopes,
    accountId: grant.accountId,
    sequence: answer.integer('sequence'),
    createdAtMs: answer.integer('createdAtMs'),
    expiresAtMs: answer.integer('expiresAtMs'),
    lastUsedAtMs: answer.integerOrNull('lastUsedAtMs'),
  };
}

/** Parses the result of a function that looks up one token. */
export function parseFoundToken(answer: FunctionAnswer): PersonalAccessTokenRecord | null {
  if (answer.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseTokenRecord(answer.object('token'));
}
