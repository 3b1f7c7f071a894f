/**
 * The one key that is passed to scripts of personal access tokens. The scripts build all other keys in Lua, by
 * appending `:kind:name`: see `docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`.
 *
 * The name comes last, so that no user id can yield a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `token` | hash, by token hash | `userId`, `tokenId`, `grant` (JSON), `sequence`, `createdAtMs`, `expiresAtMs`, `lastUsedAtMs` |
 * | `live` | sorted set, by user | token hashes by sequence. A token is live while it is in this set |
 */
export interface PersonalAccessTokenKeys {
  readonly root: string;
}

/** The tag `pats` cannot equal the tag of a user, which has 22 characters. */
export function personalAccessTokenKeys(prefix: string): PersonalAccessTokenKeys {
  return { root: `${prefix}:{pats}` };
}
