/** Every reason for a rejection; `http/error-response.ts` gives each its status and its `error`. */
export type AuthErrorCode =
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_grant'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'access_denied'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_timeout'
  | 'limit_reached'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'temporarily_unavailable'
  | 'server_error';

/** A field that was rejected. `message` is constant text: the value is never echoed. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The details of a rejection. Each field says what the client gets to see of it. */
export interface AuthErrorDetails {
  /** For logs only: why, in words that hold no secret. */
  readonly reason?: string;
  /** For logs only. */
  readonly cause?: unknown;
  /**
   * Makes this error emit a `fault` event with this `where`. The error of that event is `cause`; for a `server_error`
   * it is this error itself, which emits an event even without `where`, as `host`.
   */
  readonly where?: 'storage' | 'user_store' | 'delivery' | 'host';
  /** Sent to the client as `errors`. */
  readonly fields?: readonly FieldError[];
  /** Seconds after which the client may try again; its `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** How many attempts a challenge has left; sent to the client as `attempts_remaining`. */
  readonly attemptsRemaining?: number;
  /** Methods that the path supports, for `Allow`. */
  readonly allow?: readonly string[];
  /** Value of `WWW-Authenticate` (RFC 6750 3). */
  readonly challenge?: string;
}

/**
 * A rejection that the client gets to see. `description` is constant text for the client; `reason` and `cause` are
 * only for the log.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly code: AuthErrorCode;
  readonly description: string;
  readonly details: AuthErrorDetails;

  constructor(code: AuthErrorCode, description: string, details: AuthErrorDetails = {}) {
    super(
      details.reason ?? description,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.description = description;
    this.details = details;
  }
}

/**
 * The one rejection for a resource that does not exist, belongs to somebody else or cannot exist: a client must not be
 * able to tell these apart.
 */
export function notFound(): AuthError {
  return new AuthError('not_found', 'There is nothing here.');
}

/** The one rejection for malformed fields. It names the fields; their values are never echoed. */
export function malformedFields(fields: readonly FieldError[]): AuthError {
  return new AuthError('invalid_request', 'The request is malformed.', { fields });
}

/** The one rejection for a fault: the client learns only that there was a fault. */
export function serverFault(details: AuthErrorDetails): AuthError {
  return new AuthError('server_error', 'Something went wrong on our side.', details);
}

/**
 * The one rejection if an adapter or a function of the host does not answer, or returns something unusable. Leave out
 * `where` if the fault has been emitted already.
 */
export function unavailable(
  details: Pick<AuthErrorDetails, 'reason' | 'cause' | 'where'>,
): AuthError {
  return new AuthError('temporarily_unavailable', 'Try again in a moment.', {
    ...details,
    retryAfterSeconds: 1,
  });
}

/**
 * Every mistake in options: `<option>_<what is wrong with it>`. Codes that several options share begin with `option`,
 * and the message names the option. Codes may be added in minor versions.
 */
export type ConfigErrorCode =
  /** No option has this name, at the top level or in a group. */
  | 'option_unknown'
  /** The number is not an integer, too small or too large. */
  | 'option_out_of_bounds'
  // The option has the wrong type or form.
  | 'options_invalid'
  | 'accounts_invalid'
  | 'audience_invalid'
  | 'auth_invalid'
  | 'base_url_invalid'
  | 'client_id_invalid'
  | 'clock_invalid'
  | 'cookies_invalid'
  | 'environment_invalid'
  | 'issuer_invalid'
  | 'keys_invalid'
  | 'lifetimes_invalid'
  | 'mfa_invalid'
  | 'mount_path_invalid'
  | 'on_security_event_invalid'
  | 'passwords_invalid'
  | 'personal_access_tokens_invalid'
  | 'put_token_deprecation_invalid'
  | 'requirement_invalid'
  | 'scopes_invalid'
  | 'storage_invalid'
  | 'throttle_invalid'
  | 'users_invalid'
  | 'webhooks_invalid'
  // Keys. A missing one may come from an environment variable that is not set.
  | 'keys_missing'
  /** One key for two purposes. */
  | 'keys_reused'
  | 'encryption_key_duplicate'
  | 'encryption_key_missing'
  | 'encryption_key_too_short'
  | 'encryption_key_weak'
  | 'refresh_secret_duplicate'
  | 'refresh_secret_missing'
  | 'refresh_secret_too_short'
  | 'refresh_secret_weak'
  | 'signing_key_duplicate'
  | 'signing_key_inactive'
  | 'signing_key_missing'
  | 'signing_key_public'
  | 'signing_key_schedule_invalid'
  | 'signing_key_unreadable'
  | 'signing_key_unsupported'
  | 'signing_key_weak'
  // Passwords.
  | 'argon2_too_costly'
  | 'argon2_too_weak'
  | 'limit_concurrency_without_verifier'
  | 'password_schemes_beside_verifier'
  | 'password_upgrade_impossible'
  // `authOf` in a route that `requireAuth` does not guard.
  | 'auth_missing'
  // Calls of `auth.personalAccessTokens` in an app without such tokens.
  | 'personal_access_tokens_missing'
  // Webhooks: nothing is published or sent without the options for it.
  | 'webhooks_missing'
  | 'outbox_missing'
  // `postgresStorage`, `migrate` and `migrationSql`.
  | 'postgres_schema_invalid'
  // `redisStorage`.
  | 'redis_key_prefix_invalid';

/**
 * A mistake of the integrator in the options or in mounting, thrown immediately; `message` says what to write instead.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string) {
    super(`${message} [${code}]`);
    this.code = code;
  }
}

/**
 * Thrown by a storage adapter if its server cannot be reached or does not answer in time. Any other error of an adapter
 * is treated the same: the request is answered 503 and nothing is issued.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}
