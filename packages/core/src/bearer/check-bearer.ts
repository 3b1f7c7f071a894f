import { AuthError } from '../errors.ts';
import { errorResponse } from '../http/error-response.ts';
import { canonicalScopes, type Scope } from '../scope.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AccessTokenOutcome } from '../tokens/access-token.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import { parseAuthorization } from './authorization-header.ts';
import type { Bearer, BearerOutcome, BearerRequirement } from './bearer.ts';

export interface BearerOptions {
  readonly verifier: AccessTokenVerifier;
  /** Guarded: a call that never settled would hold the request for ever. */
  readonly sessions: Pick<SessionStore, 'isLive'>;
  /** Told of what went wrong and has not been told of by the guard. Must not throw. */
  readonly onFault: (where: 'storage' | 'internal', error: unknown) => void;
}

/** With one of these a token is asked after at every request: it must end with its session, at once. */
const CHECKED_SCOPES: readonly Scope[] = ['admin', 'internal', 'auth'];

/**
 * The bearer check: token, then session, then scope, then account.
 *
 * Security: that a session lives is remembered by nobody, so a revocation works on the next request; and
 * where it cannot be asked, nobody passes.
 */
export function createBearer(options: BearerOptions): Bearer {
  const { verifier, sessions, onFault } = options;

  return {
    check(authorization, requirement) {
      const header = parseAuthorization(authorization);
      if (header.kind === 'none') return NO_TOKEN;
      if (header.kind === 'malformed') return BAD_TOKEN;
      const verified = verifier.verify(header.token);
      if (!(verified instanceof Promise)) return checkVerified(verified, requirement);
      return verified.then(
        (outcome) => checkVerified(outcome, requirement),
        (error: unknown) => {
          onFault('internal', error);
          return FAULT;
        },
      );
    },
  };

  function checkVerified(
    verified: AccessTokenOutcome,
    requirement: BearerRequirement,
  ): BearerOutcome | Promise<BearerOutcome> {
    if (verified.outcome === 'invalid') return BAD_TOKEN;
    const { info } = verified;
    const needsSession = requirement.checkSession === true || carriesCheckedScope(info);
    return needsSession ? checkSession(info, requirement) : authorize(info, requirement);
  }

  async function checkSession(
    info: AccessTokenInfo,
    requirement: BearerRequirement,
  ): Promise<BearerOutcome> {
    try {
      const { userId, sessionId } = info;
      const live = await sessions.isLive({ userId, sessionId });
      return live === true ? authorize(info, requirement) : BAD_TOKEN;
    } catch (error) {
      if (!(error instanceof AuthError)) onFault('storage', error);
      return UNAVAILABLE;
    }
  }
}

function carriesCheckedScope(info: AccessTokenInfo): boolean {
  return CHECKED_SCOPES.some((scope) => info.scopes.includes(scope));
}

function authorize(auth: AccessTokenInfo, requirement: BearerRequirement): BearerOutcome {
  const { scope } = requirement;
  if (scope !== undefined && !hasScopes(auth, scope)) return insufficientScope(scope);
  // By its presence: an account that could not be read must not open the route to everybody.
  if ('accountId' in requirement && !mayActFor(auth, requirement.accountId)) return FOREIGN_ACCOUNT;
  return { ok: true, auth };
}

function hasScopes(auth: AccessTokenInfo, required: Scope | readonly Scope[]): boolean {
  if (typeof required === 'string') return auth.scopes.includes(required);
  return required.every((scope) => auth.scopes.includes(scope));
}

function mayActFor(auth: AccessTokenInfo, accountId: number | undefined): boolean {
  if (accountId === undefined) return false;
  const bound = auth.accountId === null || auth.accountId === accountId;
  return bound && auth.accounts.includes(accountId);
}

function refuse(error: AuthError): BearerOutcome {
  return { ok: false, response: errorResponse(error) };
}

function insufficientScope(required: Scope | readonly Scope[]): BearerOutcome {
  const scopes = canonicalScopes(typeof required === 'string' ? [required] : required);
  return refuse(
    new AuthError('insufficient_scope', 'The access token lacks a scope that this request needs.', {
      challenge: `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    }),
  );
}

// Made once: a flood of bad tokens must not pay for a stack trace each.

const NO_TOKEN = refuse(
  new AuthError('invalid_token', 'This request needs an access token.', { challenge: 'Bearer' }),
);

const BAD_TOKEN_TEXT = 'The access token is malformed, expired, revoked or not valid here.';

const BAD_TOKEN = refuse(
  new AuthError('invalid_token', BAD_TOKEN_TEXT, {
    challenge: `Bearer error="invalid_token", error_description="${BAD_TOKEN_TEXT}"`,
  }),
);

/** RFC 6750 knows no error code for it; what it says of this one fits: more than the token provides. */
const FOREIGN_ACCOUNT = refuse(
  new AuthError('access_denied', 'The access token may not act for this account.', {
    challenge: 'Bearer error="insufficient_scope"',
  }),
);

const UNAVAILABLE = refuse(
  new AuthError('temporarily_unavailable', 'The service cannot check this token at the moment.', {
    retryAfterSeconds: 1,
  }),
);

const FAULT = refuse(new AuthError('server_error', 'Something went wrong on our side.'));
