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

/** Each field is named, so that nothing else is stored. */
function opaqueGrantOf({ name, prefix, scopes, accountId }: OpaqueGrant): OpaqueGrant {
  return { name, prefix, scopes, accountId };
}

/** Serialises {@link OpaqueGrant} for one field of the hash. */
export function serialiseTokenGrant(token: NewPersonalAccessToken): string {
  return JSON.stringify(opaqueGrantOf(token));
}

export function parseTokenRecord(reply: ScriptReply): PersonalAccessTokenRecord {
  const { at } = TOKEN;
  return {
    userId: reply.at(at.userId).text(),
    tokenId: reply.at(at.tokenId).text(),
    sequence: reply.at(at.sequence).integer(),
    createdAtMs: reply.at(at.createdAtMs).integer(),
    expiresAtMs: reply.at(at.expiresAtMs).integer(),
    lastUsedAtMs: reply.at(at.lastUsedAtMs).orNull()?.integer() ?? null,
    ...opaqueGrantOf(JSON.parse(reply.at(at.grant).text())),
  };
}

/** Reads the reply of a script that looks up one token. */
export function parseFoundToken(reply: ScriptReply): PersonalAccessTokenRecord | null {
  if (reply.outcome(['found', 'unknown']) === 'unknown') return null;
  return parseTokenRecord(reply.list());
}
