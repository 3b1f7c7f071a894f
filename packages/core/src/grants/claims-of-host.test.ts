import { expect, it } from 'vitest';
import { createClaimsOfHost } from './claims-of-host.ts';

it('claimsOfHost passes a copy of the scopes of the token to the host', () => {
  const claimsOfHost = createClaimsOfHost(
    (_user, login) => {
      (login.scopes as string[]).push('internal');
      return { seen: login.scopes.length };
    },
    (call) => call(),
  );
  const scopes = ['user'] as const;
  const user = { id: 'ada', accounts: [], scopes: ['user'] } as const;
  const claims = claimsOfHost(user as never, { accountId: null, scopes, authTimeMs: 0 });
  expect(claims).toEqual({ seen: 2 });
  expect(scopes).toEqual(['user']);
});
