/** The most that any policy allows a user to have at once. */
export const MAX_TOKENS_PER_USER = 1_000;

/** The option group `personalAccessTokens`, resolved. */
export interface PersonalAccessTokenPolicy {
  /** How old what the storage said of a token may be, where that is of no great consequence. */
  readonly staleMs: number;
  readonly maxPerUser: number;
  /** Of a token that is made without a wish. */
  readonly defaultLifetimeSeconds: number;
  readonly maxLifetimeSeconds: number;
}
