/** The most that any policy allows a user to have at once. */
export const MAX_TOKENS_PER_USER = 1_000;

/** The option group `personalAccessTokens`, resolved. */
export interface PersonalAccessTokenPolicy {
  /** How long the storage's answer about a token may be reused, ms, where `staleSeconds` applies. */
  readonly staleMs: number;
  readonly maxPerUser: number;
  /** Of a token for which none is asked for. */
  readonly defaultLifetimeSeconds: number;
  readonly maxLifetimeSeconds: number;
}
