import { AuthError } from '../errors.ts';

// Constants, so that a flood of such requests does not cost a stack trace each.

export const foreignPage: AuthError = new AuthError(
  'access_denied',
  'By cookie this request must come from a page of the app, of the same site, with `Latchhook-Session: cookie`.',
);

export const unknownSessionHeader: AuthError = new AuthError(
  'invalid_request',
  'The only value of `Latchhook-Session` is `cookie`, given once.',
);

/**
 * RFC 6750 3.1: the request sends tokens in more than one way. 400 rather than 401, because a client that gets 401
 * refreshes, and would send both again.
 */
export const twoCredentials: AuthError = new AuthError(
  'invalid_request',
  'Send a bearer token or the cookies of a session, not both.',
  { challenge: 'Bearer error="invalid_request"' },
);

/** 400 for the same reason as {@link twoCredentials}. */
export const ambiguousCookies: AuthError = new AuthError(
  'invalid_request',
  'A cookie of the session is given more than once.',
  { challenge: 'Bearer error="invalid_request"' },
);
