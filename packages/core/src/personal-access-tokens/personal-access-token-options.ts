/** Personal access tokens: for scripts of a user's, made by the user. All of it has a default. */
export interface PersonalAccessTokenOptions {
  /**
   * For how long a process may go on taking a token that it has seen, without asking the storage whether it
   * still lives, seconds: 0 to 60. Only for tokens of scope `user`, on routes of the host's own without
   * `checkSession`; all others are asked for at every use, as is the owner of every token. Default: 0.
   *
   * Security: for so long a revoked token may still open those routes.
   */
  readonly staleSeconds?: number;
  /** Live ones that a user can have: 1 to 1,000. Default: 50. */
  readonly maxPerUser?: number;
  /** The longest that one can live, days; a longer wish is clamped: 1 to 366. Default: 366. */
  readonly maxDays?: number;
}
