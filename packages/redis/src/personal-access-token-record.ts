import type {
  NewPersonalAccessToken,
  PersonalAccessTokenGrant,
  PersonalAccessTokenRecord,
} from '@latchhook/core/storage';
import { defineRecord } from './define-record.ts';
import type { ScriptReply } from './script-reply.ts';

/** A token, as the Lua function `readToken` returns it. */
export const TOKEN = defineRecord({
  stored: ['userId', 'tokenId', 'grant', 'sequence', 'createdAtMs', 'expiresAtMs', 'lastUsedAtMs'],
});

/** The part of a grant that no script reads. */
type OpaqueGrant = Omit<PersonalAccessTokenGrant, 'userId' | 'tokenId'>;

/** Serialises {@link OpaqueGrant} for one field of the hash. It names each field, so that nothing else is stored. */
export function serialiseTokenGrant(token: NewPersonalAccessToken): string {
  const { name, prefix, scopes, accountId } = token;
  const grant: OpaqueGrant = { name, prefix, scopes, accountId };
  return JSON.stringify(grant);
}

export function parseTokenRecord(reply: ScriptReply): PersonalAccessTokenRecord {
  const { at } = TOKEN;
  const grant: OpaqueGrant = JSON.parse(reply.at(at.grant).text());
  const { name, prefix, scopes, accountId } = grant;
  return {
    userId: reply.at(at.userId).text(),
    tokenId: reply.at(at.tokenId).text(),
    name,
    prefix,
    scopes,
    accountId,
    sequence: reply.at(at.sequence).integer(),
    createdAtMs: reply.at(at.createdAtMs).integer(),
    expiresAtMs: reply.at(at.expiresAtMs).integer(),
    lastUsedAtMs: reply.at(at.lastUsedAtMs).orNull()?.integer() ?? null,
  };
}

/** Reads the reply of a script that looks up one token. */
export function parseFoundToken(reply: ScriptReply): PersonalAccessTokenRecord | null {
  if (reply.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseTokenRecord(reply.list());
}
