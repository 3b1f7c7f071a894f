import type { AuthError, AuthErrorCode } from '../errors.ts';
import { jsonResponse } from './json-response.ts';
import type { AuthResponse } from './messages.ts';

/**
 * The status of each error code. `error` is the code in the body, if it differs: OAuth clients get `invalid_request`
 * for several statuses.
 */
export const STATUS_BY_CODE: Readonly<
  Record<AuthErrorCode, { readonly status: number; readonly error?: string }>
> = {
  invalid_request: { status: 400 },
  unsupported_grant_type: { status: 400 },
  invalid_scope: { status: 400 },
  invalid_grant: { status: 400 },
  invalid_token: { status: 401 },
  insufficient_scope: { status: 403 },
  access_denied: { status: 403 },
  not_found: { status: 404 },
  method_not_allowed: { status: 405, error: 'invalid_request' },
  body_timeout: { status: 408, error: 'invalid_request' },
  limit_reached: { status: 409 },
  body_too_large: { status: 413, error: 'invalid_request' },
  unsupported_media_type: { status: 415, error: 'invalid_request' },
  too_many_requests: { status: 429 },
  temporarily_unavailable: { status: 503 },
  server_error: { status: 500 },
};

/** The status of an error code, and the `error` of the body. */
export function errorStatus(code: AuthErrorCode): {
  readonly status: number;
  readonly error: string;
} {
  return { error: code, ...STATUS_BY_CODE[code] };
}

export function errorResponse(error: AuthError): AuthResponse {
  const { status, error: name } = errorStatus(error.code);
  const { fields, retryAfterSeconds, attemptsRemaining, allow, challenge } = error.details;
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (allow !== undefined) headers['allow'] = allow.join(', ');
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  // The rest of the body may still arrive, and must not be read as the next request.
  if (error.code === 'body_timeout') headers['connection'] = 'close';
  return jsonResponse(
    status,
    {
      error: name,
      error_description: error.description,
      ...(fields === undefined ? {} : { errors: fields }),
      ...(attemptsRemaining === undefined ? {} : { attempts_remaining: attemptsRemaining }),
    },
    headers,
  );
}
