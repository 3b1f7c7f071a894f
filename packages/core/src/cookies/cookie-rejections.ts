import { AuthError } from '../errors.ts';

// Made once: a flood of such requests must not pay for a stack trace each.

/** Nothing was looked at, let alone used up. */
export const foreignPage: AuthError = new AuthError(
  'access_denied',
  'By cookie this request must come from a page of the app, with `Latchhook-Session: cookie`.',
);

export const unknownSessionHeader: AuthError = new AuthError(
  'invalid_request',
  'The only value of `Latchhook-Session` is `cookie`, given once.',
);

/**
 * RFC 6750 3.1: more than one way to send a token. 400 rather than 401, since another token would not help: a client
 * that took it for a bad one would refresh, and send both again.
 */
export const twoCredentials: AuthError = new AuthError(
  'invalid_request',
  'Send a bearer token or the cookies of a session, not both.',
  { challenge: 'Bearer error="invalid_request"' },
);

/** As for {@link twoCredentials}. */
export const ambiguousCookies: AuthError = new AuthError(
  'invalid_request',
  'A cookie of the session is given more than once.',
  { challenge: 'Bearer error="invalid_request"' },
);
