/** Events of access tokens. They name no client, because the bearer check gets no more than headers. */
export type AccessTokenSecurityEvent = {
  /**
   * Access tokens of the app have been rejected. Other strings are not reported, because anybody can send them.
   *
   * Subscribers get the first event of each reason immediately, then at most one a minute; observers get all.
   */
  readonly type: 'access_token.rejected';
  readonly reason: AccessTokenRejectionReason;
  /** How many tokens were rejected for this reason since the last such event, this token included. */
  readonly count: number;
};

/**
 * Why an access token of the app was rejected. A token counts as the app's if one of its keys has signed the token; or,
 * as `unknown_key`, if the token has the app's header and issuer, which anybody can write.
 */
export type AccessTokenRejectionReason =
  /** None of `keys.signing` has its `kid`, or that key has retired. */
  | 'unknown_key'
  /** The app's key has signed it as something other than an access token (`typ`). */
  | 'wrong_type'
  | 'wrong_issuer'
  | 'wrong_audience'
  /** A claim is missing or of the wrong type. */
  | 'bad_claims'
  /** `iat` or `nbf` is ahead of the clock of this process, by more than the tolerance. */
  | 'not_yet_valid'
  | 'expired'
  /** Its session has been ended, has expired, or is unknown to the storage. */
  | 'session_ended'
  /** The user store no longer has the user, or has disabled them, or the password was changed after the login. */
  | 'user_rejected';
