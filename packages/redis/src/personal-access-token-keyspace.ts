/**
 * The one key that scripts of personal access tokens are passed. They build all others in Lua, by appending
 * `:kind:name`: see `docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`.
 *
 * The name comes last: whatever a user id contains, it never reaches a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `token` | hash, by token hash | `userId`, `tokenId`, `grant` (JSON), `sequence`, `createdAtMs`, `expiresAtMs`, `lastUsedAtMs` |
 * | `live` | sorted set, by user | token hashes by sequence. A token lives while it is in here |
 */
export interface PersonalAccessTokenKeys {
  readonly root: string;
}

/** Its own tag: those of users have 22 characters. */
export function personalAccessTokenKeys(prefix: string): PersonalAccessTokenKeys {
  return { root: `${prefix}:{pats}` };
}
