/** The most live tokens that any policy allows a user. */
export const MAX_TOKENS_PER_USER = 1_000;

/** The option group `personalAccessTokens`, resolved. */
export interface PersonalAccessTokenPolicy {
  /** How long the storage's record of a token may be reused, ms, for tokens to which `staleSeconds` applies. */
  readonly staleMs: number;
  readonly maxPerUser: number;
  /** The lifetime of a token for which the client requests none. */
  readonly defaultLifetimeSeconds: number;
  readonly maxLifetimeSeconds: number;
}
