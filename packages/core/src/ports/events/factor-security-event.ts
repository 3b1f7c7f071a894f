import type { ClientInfo } from '../../client-info/client-info.ts';

/** Events of second factors: of codes, and of the factors themselves. */
export type FactorSecurityEvent =
  /** The password was right, or the host has authenticated the user, and a code is required. */
  | (ClientInfo & {
      readonly type: 'challenge.created';
      readonly userId: string;
      readonly actor: 'user' | 'host';
    })
  /** The answer to a challenge has been rejected. */
  | (ClientInfo & {
      readonly type: 'challenge.failed';
      readonly userId: string;
      readonly reason: ChallengeFailureReason;
      /** The remaining attempts of this challenge; `null` if no code was checked. */
      readonly attemptsRemaining: number | null;
    })
  /** Too many wrong codes in a row: until `untilMs`, no code is checked, not even the right one. */
  | (ClientInfo & {
      readonly type: 'factor.locked';
      readonly userId: string;
      /** ms since 1970, by the clock of the storage. */
      readonly untilMs: number;
    })
  /** A code was not checked: the factor is locked. */
  | (ClientInfo & {
      readonly type: 'factor.rejected';
      readonly userId: string;
      readonly retryAfterSeconds: number;
      /** Whether only `auth.factors.unlock` lifts the lock. */
      readonly suspended: boolean;
    })
  /** The host has lifted a lock, or a suspension. */
  | (ClientInfo & { readonly type: 'factor.unlocked'; readonly userId: string })
  /** The user has proved a new factor, or has got new recovery codes, which replace all others. */
  | (ClientInfo & {
      readonly type: 'factor.enrolled' | 'recovery_codes.replaced';
      readonly userId: string;
    })
  /**
   * An enrolment was not begun, or a code did not confirm it.
   *
   * Subscribers get an event for each wrong code; for each other reason they get the first event of a session
   * immediately, then at most one a minute. Observers get all.
   */
  | (ClientInfo & {
      readonly type: 'enrolment.failed';
      readonly userId: string;
      /** The login that tried to enrol. */
      readonly sessionId: string;
      readonly reason: EnrolmentFailureReason;
      /** How many failed in this session for this reason since the last such event, this failure included. */
      readonly count: number;
    })
  /** From now on only the password is needed to log in. */
  | (ClientInfo & {
      readonly type: 'factor.removed';
      readonly userId: string;
      readonly actor: 'user' | 'host';
    });

/** Why an enrolment was not begun or confirmed. */
export type EnrolmentFailureReason =
  | 'wrong_code'
  /** The login has begun no enrolment, its enrolment has expired, or another session has confirmed one since then. */
  | 'none_pending'
  /** The login has tried too many codes, or the login or its user has begun too many enrolments. */
  | 'too_many'
  /** The user store has a factor of the user. */
  | 'managed_elsewhere';

/** Why the answer to a challenge was rejected. */
export type ChallengeFailureReason =
  | 'wrong_code'
  /** The code was right, but its time step has been used. */
  | 'step_used'
  /** The challenge has expired, has been used, has no attempts left, or was ended by `revokeAll`. */
  | 'gone'
  | 'user_gone'
  | 'user_disabled'
  /** The user has no second factor any more. */
  | 'factor_gone'
  /** The user has left the account that the login was for. */
  | 'membership_lost'
  | 'password_changed'
  /** The request asks for a scope that the user does not have. */
  | 'scope_denied'
  /** The login is bound to no account, and the user now has more accounts than a token can name. */
  | 'too_many_accounts';
