import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { givenScopes } from '../scopes/scope-table.ts';
import type { AuthInfo } from './auth-info.ts';
import type { Authentication } from './authenticate.ts';
import { createAuthorizeRequest, type RouteAuth } from './authorize-request.ts';

const request = plainRequest({ authorization: 'Bearer a.b.c' });

const ADA = {
  credential: 'access_token',
  userId: 'ada',
  scopes: ['user', 'admin'],
} as unknown as AuthInfo;

/** What is made of an authentication, and of what the user store says `now`. */
async function authorize(
  authentication: Authentication,
  required: RouteAuth = { scope: 'user' },
  now: AuthInfo | null = ADA,
) {
  const asked: unknown[] = [];
  const authorizeRequest = createAuthorizeRequest(
    (...question) => {
      asked.push(question);
      return authentication;
    },
    async (auth) => {
      asked.push(auth);
      return now;
    },
    givenScopes,
    (event) => asked.push(event),
  );
  const answer = await authorizeRequest(request, required).catch((error: unknown) =>
    error instanceof AuthError ? [error.code, error.details.challenge] : error,
  );
  return { answer, asked };
}

describe('authorizeRequest', () => {
  it('resolves to the AuthInfo of an authenticated request', async () => {
    const { answer } = await authorize({ outcome: 'authenticated', auth: ADA });
    expect(answer).toBe(ADA);
  });

  it('always checks that the session is live', async () => {
    const { asked } = await authorize({ outcome: 'authenticated', auth: ADA });
    expect(asked).toEqual([['Bearer a.b.c', { checkSession: true }, request]]);
  });

  it('rejects with the same challenges as the bearer check', async () => {
    expect((await authorize({ outcome: 'absent' })).answer).toEqual(['invalid_token', 'Bearer']);
    expect((await authorize({ outcome: 'invalid' })).answer).toEqual([
      'invalid_token',
      expect.stringMatching(/^Bearer error="invalid_token"/),
    ]);
    expect(
      (await authorize({ outcome: 'authenticated', auth: ADA }, { scope: 'auth' })).answer,
    ).toEqual(['insufficient_scope', 'Bearer error="insufficient_scope", scope="auth"']);
  });

  it('accepts only the kind of credential that the route requires', async () => {
    const personal = { ...ADA, credential: 'personal_access_token' } as AuthInfo;
    const required = { scope: 'user', credential: 'access_token' } as const;
    expect((await authorize({ outcome: 'authenticated', auth: ADA }, required)).answer).toBe(ADA);
    expect(
      (await authorize({ outcome: 'authenticated', auth: personal }, required)).answer,
    ).toEqual(['access_denied', 'Bearer error="insufficient_scope"']);
  });

  it('looks the user up only if the route requires it', async () => {
    const required = { scope: 'user', checkUserStatus: true } as const;
    const now = { ...ADA, accounts: [3] } as AuthInfo;
    const { answer, asked } = await authorize(
      { outcome: 'authenticated', auth: ADA },
      required,
      now,
    );
    expect(answer).toBe(now);
    expect(asked.slice(1)).toEqual([ADA]);
    expect((await authorize({ outcome: 'authenticated', auth: ADA })).asked).toHaveLength(1);
    expect((await authorize({ outcome: 'invalid' }, required)).asked).toHaveLength(1);
  });

  it('rejects a user who has lost access like a bad token, and a lost scope as insufficient_scope', async () => {
    const required = { scope: 'admin', checkUserStatus: true } as const;
    const authenticated = { outcome: 'authenticated', auth: ADA } as const;
    expect((await authorize(authenticated, required, null)).answer).toEqual(
      (await authorize({ outcome: 'invalid' })).answer,
    );
    const less = { ...ADA, scopes: ['user'] } as AuthInfo;
    expect((await authorize(authenticated, required, less)).answer).toEqual([
      'insufficient_scope',
      'Bearer error="insufficient_scope", scope="admin"',
    ]);
  });
});
