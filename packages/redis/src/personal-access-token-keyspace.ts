/**
 * The one key that scripts of personal access tokens are passed. All others are this with `:kind:name` behind
 * it, made up in Lua: see `docs/adr/0026-personal-access-tokens-share-one-hash-slot.md`.
 *
 * The name comes last: whatever a user id holds, it never reaches a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `token` | hash, by token hash | `userId`, `tokenId`, `grant` (JSON), `sequence`, `createdAtMs`, `expiresAtMs`, `lastUsedAtMs` |
 * | `live` | sorted set, by user | token hashes by sequence. A token lives while it is in here |
 */
export interface PersonalAccessTokenKeys {
  readonly root: string;
}

/** Beside the keys of users: their tags are 22 characters long, so this is none of them. */
export function personalAccessTokenKeys(prefix: string): PersonalAccessTokenKeys {
  return { root: `${prefix}:{pats}` };
}
