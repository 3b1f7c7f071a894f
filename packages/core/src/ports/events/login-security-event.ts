import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';

/** Events of logins and passwords. `username` is what was typed into the form: treat it as personal data. */
export type LoginSecurityEvent<Id extends AccountId = AccountId> =
  /** A session has begun, by a password or by `auth.login`; if there was a challenge, after it was answered. */
  | (ClientInfo & {
      readonly type: 'login.succeeded';
      readonly userId: string;
      readonly sessionId: string;
      /** The account that the session is bound to, or `null`. */
      readonly accountId: Id | null;
      readonly scopes: readonly string[];
      /**
       * RFC 8176: `pwd`, or what the host passed to `auth.login`; then `otp` for a code of the app, or `mfa` for a
       * recovery code.
       */
      readonly amr: readonly string[];
      /** `user`, by their password; `host`, whose own code has authenticated the user. */
      readonly actor: 'user' | 'host';
    })
  /**
   * A right password has come from a new address: the user has never logged in from it, or not for
   * `throttle.knownAddressDays`. Emitted before the second factor and the requested account are checked; never if
   * throttling is off, or the address is unknown.
   */
  | (ClientInfo & {
      readonly type: 'login.new_address';
      readonly userId: string;
    })
  /** A login has been rejected before any challenge. */
  | (ClientInfo & {
      readonly type: 'login.failed';
      /** `null` for a login by the host, which names the user by id. */
      readonly username: string | null;
      /** `null` if no user has that name. */
      readonly userId: string | null;
      readonly reason: LoginFailureReason;
      /** `user`, by a password; `host`, by `auth.login`. */
      readonly actor: 'user' | 'host';
    })
  /** A login has been rejected unchecked: there were too many failures of its name or its address. */
  | (ClientInfo & {
      readonly type: 'login.throttled';
      readonly username: string;
      readonly reason: 'identifier' | 'address';
      readonly retryAfterSeconds: number;
    })
  /** A login has been rejected by load shedding: more passwords wait to be hashed than the machine can handle. */
  | (ClientInfo & {
      readonly type: 'login.shed';
      readonly username: string;
      readonly reason: 'queue_full' | 'wait_too_long';
    })
  /** After a login, its password has been rehashed with today's parameters. */
  | (ClientInfo & {
      readonly type: 'password.rehashed';
      readonly userId: string;
      /** `false` if the password was changed during the rehash: then the changed one is kept. */
      readonly replaced: boolean;
    });

/**
 * Why a login failed. For `revoked_meanwhile` and all below it, the password was right, or the host has authenticated
 * the user.
 */
export type LoginFailureReason =
  | 'unknown_user'
  | 'wrong_password'
  | 'disabled'
  | 'unusable_hash'
  /** `revokeAll` came during the login. */
  | 'revoked_meanwhile'
  /** The host says that it authenticated the user before the password was last changed. */
  | 'password_changed'
  /** The request asks for an account that is not one of the user's. */
  | 'account_denied'
  /** The request asks for a scope that the user does not have. */
  | 'scope_denied'
  /** The request asks for no account, and the user has more accounts than a token can name. */
  | 'too_many_accounts';
