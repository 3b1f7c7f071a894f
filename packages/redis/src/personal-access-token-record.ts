import type {
  NewPersonalAccessToken,
  PersonalAccessTokenGrant,
  PersonalAccessTokenRecord,
} from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';

/** The part of a grant that no script reads. */
type OpaqueGrant = Omit<PersonalAccessTokenGrant, 'userId' | 'tokenId'>;

/** That part, as one field of the hash. Its fields are named one by one, so that nothing else gets in. */
export function serialiseTokenGrant(token: NewPersonalAccessToken): string {
  const { name, prefix, scopes, accountId } = token;
  const grant: OpaqueGrant = { name, prefix, scopes, accountId };
  return JSON.stringify(grant);
}

/** Reads a record as `readToken` of the scripts answers it. */
export function parseTokenRecord(reply: ScriptReply): PersonalAccessTokenRecord {
  const ref = { userId: reply.text(), tokenId: reply.text() };
  const { name, prefix, scopes, accountId }: OpaqueGrant = JSON.parse(reply.text());
  return {
    ...ref,
    name,
    prefix,
    scopes,
    accountId,
    sequence: reply.integer(),
    createdAtMs: reply.integer(),
    expiresAtMs: reply.integer(),
    lastUsedAtMs: reply.integer() || null,
  };
}

/** Reads the answer of a script that found one token or none. */
export function parseFoundToken(reply: ScriptReply): PersonalAccessTokenRecord | null {
  if (reply.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseTokenRecord(reply.list());
}
