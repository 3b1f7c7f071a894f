/** Every scope there is, in the order in which a token's `scope` lists them. */
export const SCOPES = ['user', 'admin', 'internal', 'auth'] as const;

/**
 * What a token may be used for: `user` acts as the user, `admin` manages an account, `internal` is for
 * service operations, `auth` changes credentials, factors and sessions (600 s at most, dropped at refresh).
 */
export type Scope = (typeof SCOPES)[number];

export function isScope(value: unknown): value is Scope {
  return SCOPES.includes(value as Scope);
}

/** The same scopes, each once, in canonical order, so that equal grants compare and print alike. */
export function canonicalScopes(scopes: Iterable<Scope>): readonly Scope[] {
  const wanted = new Set(scopes);
  return SCOPES.filter((scope) => wanted.has(scope));
}
