import { expect, it } from 'vitest';
import { createClaimsOfHost } from './claims-of-host.ts';

it('gives the host a copy of the scopes of a token, whatever it does with them', () => {
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
