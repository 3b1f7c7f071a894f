import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import type { AnyAuthInfo, AuthInfo } from './auth-info.ts';
import type { Authentication } from './authenticate.ts';
import { createAuthorizeRequest, type RouteAuth } from './authorize-request.ts';

const request = plainRequest({ authorization: 'Bearer a.b.c' });

const ADA = {
  credential: 'access_token',
  userId: 'ada',
  scopes: ['user', 'admin'],
} as unknown as AuthInfo;

/** Authorizes a request with this authentication, whose user has `current` rights in the user store. */
async function authorize(
  authentication: Authentication,
  required: RouteAuth = { scope: 'user' },
  current: AuthInfo | null = ADA,
) {
  const authenticateCalls: unknown[] = [];
  const userLookups: AnyAuthInfo[] = [];
  const events: SecurityEvent[] = [];
  const authorizeRequest = createAuthorizeRequest(
    (...args) => {
      authenticateCalls.push(args);
      return authentication;
    },
    async (auth) => {
      userLookups.push(auth);
      return current;
    },
    builtInScopes,
    (event) => events.push(event),
  );
  const result = await authorizeRequest(request, required).catch((error: unknown) =>
    error instanceof AuthError ? [error.code, error.details.challenge] : error,
  );
  return { result, authenticateCalls, userLookups, events };
}

describe('authorizeRequest', () => {
  it('resolves to the AuthInfo of an authenticated request', async () => {
    const { result } = await authorize({ outcome: 'authenticated', auth: ADA });
    expect(result).toBe(ADA);
  });

  it('always checks that the session is live, looks up no user and emits no event', async () => {
    const { authenticateCalls, userLookups, events } = await authorize({
      outcome: 'authenticated',
      auth: ADA,
    });
    expect(authenticateCalls).toEqual([['Bearer a.b.c', { checkSession: true }, request]]);
    expect([userLookups, events]).toEqual([[], []]);
  });

  it('rejects with the same challenges as the bearer check', async () => {
    expect((await authorize({ outcome: 'absent' })).result).toEqual(['invalid_token', 'Bearer']);
    expect((await authorize({ outcome: 'invalid' })).result).toEqual([
      'invalid_token',
      expect.stringMatching(/^Bearer error="invalid_token"/),
    ]);
    expect(
      (await authorize({ outcome: 'authenticated', auth: ADA }, { scope: 'auth' })).result,
    ).toEqual(['insufficient_scope', 'Bearer error="insufficient_scope", scope="auth"']);
  });

  it('accepts only the kind of credential that the route requires', async () => {
    const personalAuth = { ...ADA, credential: 'personal_access_token' } as AuthInfo;
    const required = { scope: 'user', credential: 'access_token' } as const;
    expect((await authorize({ outcome: 'authenticated', auth: ADA }, required)).result).toBe(ADA);
    expect(
      (await authorize({ outcome: 'authenticated', auth: personalAuth }, required)).result,
    ).toEqual(['access_denied', 'Bearer error="insufficient_scope"']);
  });

  it('resolves to the current AuthInfo if the route checks the user status', async () => {
    const required = { scope: 'user', checkUserStatus: true } as const;
    const current = { ...ADA, accounts: [3] } as AuthInfo;
    const { result, authenticateCalls, userLookups, events } = await authorize(
      { outcome: 'authenticated', auth: ADA },
      required,
      current,
    );
    expect(result).toBe(current);
    expect(userLookups).toEqual([ADA]);
    expect([authenticateCalls.length, events.length]).toEqual([1, 0]);
  });

  it('does not look the user up for an invalid token', async () => {
    const required = { scope: 'user', checkUserStatus: true } as const;
    const { authenticateCalls, userLookups, events } = await authorize(
      { outcome: 'invalid' },
      required,
    );
    expect(authenticateCalls).toHaveLength(1);
    expect([userLookups, events]).toEqual([[], []]);
  });

  it('rejects a user who has lost access with invalid_token', async () => {
    const required = { scope: 'admin', checkUserStatus: true } as const;
    const authenticated = { outcome: 'authenticated', auth: ADA } as const;
    expect((await authorize(authenticated, required, null)).result).toEqual(
      (await authorize({ outcome: 'invalid' })).result,
    );
  });

  it('rejects with insufficient_scope if the user has lost the scope', async () => {
    const required = { scope: 'admin', checkUserStatus: true } as const;
    const current = { ...ADA, scopes: ['user'] } as AuthInfo;
    const { result } = await authorize({ outcome: 'authenticated', auth: ADA }, required, current);
    expect(result).toEqual([
      'insufficient_scope',
      'Bearer error="insufficient_scope", scope="admin"',
    ]);
  });
});
