/** Every reason to refuse; `http/error-response.ts` gives each its status and its `error`. */
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
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'temporarily_unavailable'
  | 'server_error';

/** A field that was refused. `message` is constant text: what was sent is never echoed. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What a refusal carries beside its code. Each says what the client gets to see of it. */
export interface AuthErrorDetails {
  /** For logs only: why, in words that hold no secret. */
  readonly reason?: string;
  /** For logs only. */
  readonly cause?: unknown;
  /** Of a `server_error`, for its `fault` event: who made it. Default: the host. */
  readonly where?: 'directory' | 'host';
  /** Told to the client as `errors`. */
  readonly fields?: readonly FieldError[];
  /** Seconds after which the client may try again; its `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** What a challenge has left; told to the client as `attempts_remaining`. */
  readonly attemptsRemaining?: number;
  /** Methods that the path does answer, for `Allow`. */
  readonly allow?: readonly string[];
  /** Value of `WWW-Authenticate` (RFC 6750 3). */
  readonly challenge?: string;
}

/**
 * A refusal with a public face. `description` is constant text that the client reads; `reason` and
 * `cause` are for the log alone.
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

/** A mistake of the integrator in the options, thrown by `createAuth`; `message` says what to write instead. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${message} [${code}]`);
    this.code = code;
  }
}

/**
 * What a storage adapter throws when its server cannot be reached or does not answer in time. Anything
 * else that an adapter throws is treated alike: the request is answered 503 and nothing is issued.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}
