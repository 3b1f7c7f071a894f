/** Every scope there is, in the order in which a token's `scope` lists them. */
export const SCOPES = ['user', 'admin', 'internal', 'auth'] as const;

/**
 * What a token may be used for: `user` acts as the user, and ends their sessions; `admin` manages an account,
 * `internal` is for service operations, `auth` changes credentials and factors (600 s at most, dropped at refresh).
 */
export type Scope = (typeof SCOPES)[number];

/** Credentials with one of these have to end at once when revoked, so every use asks whether they still live. */
const CHECKED_SCOPES: readonly Scope[] = ['admin', 'internal', 'auth'];

/** Whether every use of a credential with these scopes must ask if it still lives, whatever that costs. */
export function needsLiveness(scopes: readonly Scope[]): boolean {
  return CHECKED_SCOPES.some((scope) => scopes.includes(scope));
}

export function isScope(value: unknown): value is Scope {
  return SCOPES.includes(value as Scope);
}

/** The same scopes, each once, in canonical order, so that equal grants compare and print alike. */
export function canonicalScopes(scopes: Iterable<Scope>): readonly Scope[] {
  const wanted = new Set(scopes);
  return SCOPES.filter((scope) => wanted.has(scope));
}
