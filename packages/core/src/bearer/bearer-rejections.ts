import { AuthError } from '../errors.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { Authentication } from './authenticate.ts';
import type { Authorization } from './authorize.ts';

const BAD_TOKEN = 'The access token is malformed, expired, revoked or not valid here.';

// Constants, so that a flood of bad tokens does not cost a stack trace each.

/** RFC 6750 3.1: the challenge has no error code if the request has no token. */
const noToken: AuthError = new AuthError('invalid_token', 'This request needs an access token.', {
  challenge: 'Bearer',
});

export const badToken: AuthError = new AuthError('invalid_token', BAD_TOKEN, {
  challenge: `Bearer error="invalid_token", error_description="${BAD_TOKEN}"`,
});

/**
 * RFC 6750 has no error code for this. `insufficient_scope` comes nearest: the request needs more than the token has.
 */
export const foreignAccount: AuthError = new AuthError(
  'access_denied',
  'The access token may not act for this account.',
  { challenge: 'Bearer error="insufficient_scope"' },
);

/** `insufficient_scope` for the same reason as in {@link foreignAccount}. */
const wrongCredential: AuthError = new AuthError(
  'access_denied',
  'This request takes another kind of token.',
  { challenge: 'Bearer error="insufficient_scope"' },
);

/** The rejection of a client that is not authenticated. */
export function rejectionOfUnauthenticated(
  authentication: Exclude<Authentication, { outcome: 'authenticated' }>,
): AuthError {
  switch (authentication.outcome) {
    case 'absent':
      return noToken;
    case 'invalid':
      return badToken;
    case 'rejected':
      return authentication.error;
  }
}

/** The rejection of a client that is authenticated, but not authorized. */
export function rejectionOfUnauthorized(
  authorization: Exclude<Authorization, { outcome: 'allowed' }>,
  scopeTable: ScopeTable,
): AuthError {
  switch (authorization.outcome) {
    case 'scope_missing':
      return missingScope(authorization.required, scopeTable);
    case 'wrong_credential':
      return wrongCredential;
    case 'foreign_account':
      return foreignAccount;
  }
}

function missingScope(required: readonly Scope[], { canonical }: ScopeTable): AuthError {
  const scopes = canonical(required).join(' ');
  return new AuthError(
    'insufficient_scope',
    'The access token lacks a scope that this request needs.',
    { challenge: `Bearer error="insufficient_scope", scope="${scopes}"` },
  );
}
