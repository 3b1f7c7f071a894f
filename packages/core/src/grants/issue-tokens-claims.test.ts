import { expect, it } from 'vitest';
import { createClaimsOfHost } from './issue-tokens.ts';

it('claimsOfHost passes the host a copy of the scopes, so that the host cannot add one', () => {
  const claimsOfHost = createClaimsOfHost(
    (_user, login) => {
      (login.scopes as string[]).push('internal');
      return { scopeCount: login.scopes.length };
    },
    (call) => call(),
  );
  const scopes = ['user'] as const;
  const user = { id: 'ada', accounts: [], scopes: ['user'] } as const;
  const claims = claimsOfHost(user as never, { accountId: null, scopes, authTimeMs: 0 });
  expect(claims).toEqual({ scopeCount: 2 });
  expect(scopes).toEqual(['user']);
});
