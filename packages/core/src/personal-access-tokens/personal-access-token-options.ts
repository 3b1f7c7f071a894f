/** Options of personal access tokens, which users create for their scripts. All have defaults. */
export interface PersonalAccessTokenOptions {
  /**
   * How long a process may accept a token again without asking the storage whether it is still live, seconds: 0 to 60.
   * Only for tokens without a sensitive scope, on the host's own routes without `checkSession`; all others are looked
   * up at every use, as is the owner of every token. Default: 0.
   *
   * Security: a revoked token may still open those routes for this long.
   */
  readonly staleSeconds?: number;
  /** How many live tokens a user can have: 1 to 1,000. Default: 50. */
  readonly maxPerUser?: number;
  /** The longest lifetime of a token, days: 1 to 366. Longer ones that clients request are clamped. Default: 366. */
  readonly maxDays?: number;
}
