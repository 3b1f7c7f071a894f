/** The option group `personalAccessTokens`, resolved. */
export interface PersonalAccessTokenPolicy {
  /** How old what the storage said of a token may be, where that is of no great consequence. */
  readonly staleMs: number;
  readonly maxPerUser: number;
  /** Of a token that is made without a wish. */
  readonly defaultLifetimeSeconds: number;
  readonly maxLifetimeSeconds: number;
}
