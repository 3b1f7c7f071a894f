import { describe, expect, it } from 'vitest';
import {
  isPersonalAccessToken,
  newPersonalAccessToken,
} from '../personal-access-tokens/personal-access-token.ts';
import type { PersonalAccessTokenInfo } from '../personal-access-tokens/personal-access-token-info.ts';
import type { Freshness } from '../personal-access-tokens/use-personal-access-token.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { createAuthenticate } from './authenticate.ts';
import type { BearerOutcome, BearerRequirement } from './bearer.ts';
import { ACCESS_DENIED, BAD_TOKEN, NOW_MS, setup, summary } from './bearer-fixture.test.support.ts';
import { createBearer } from './create-bearer.ts';

describe('a personal access token', () => {
  const token = newPersonalAccessToken();
  const info: PersonalAccessTokenInfo = {
    credential: 'personal_access_token',
    userId: 'user-1',
    scopes: ['user'],
    accounts: [1, 2],
    accountId: 1,
    tokenId: 'pat_1',
    issuedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 600_000,
    claims: {},
  };

  /** A bearer check that accepts only `token`. */
  function setupPersonal() {
    /** For each look-up, whether it may use the cache. */
    const requestedFreshness: Freshness[] = [];
    const authenticate = createAuthenticate({
      verifier: { verify: () => Promise.reject(new Error('not an access token')) },
      sessions: {
        isLive: () => Promise.reject(new Error('a personal access token has no session')),
      },
      usePersonalAccessToken: (presented, freshness) => {
        requestedFreshness.push(freshness);
        return isPersonalAccessToken(presented)
          ? Promise.resolve(presented === token ? info : null)
          : null;
      },
      scopeTable: builtInScopes,
      emit: () => {},
    });
    const bearer = createBearer({
      authenticate,
      scopeTable: builtInScopes,
      accountIdKind: 'integer',
      emit: () => {},
    });
    return { bearer, requestedFreshness };
  }

  it('passes the bearer check, which returns its AuthInfo', async () => {
    const { bearer } = setupPersonal();
    const requirement = { scope: 'user', accountId: 1 } as const;
    expect(await bearer.check(`Bearer ${token}`, requirement)).toEqual({
      outcome: 'passed',
      auth: info,
    });
  });

  it('is checked for scope, kind and account like an access token', async () => {
    const { bearer } = setupPersonal();
    const check = async (requirement: BearerRequirement) =>
      summary(await bearer.check(`Bearer ${token}`, requirement));
    expect(await check({ scope: 'admin', credential: 'access_token' })).toMatchObject({
      error: 'insufficient_scope',
    });
    expect(await check({ scope: 'user', credential: 'access_token' })).toEqual(ACCESS_DENIED);
    expect(await check({ credential: 'personal_access_token' })).toBe('passes');
    expect(await check({ accountId: 2 })).toEqual(ACCESS_DENIED);
  });

  it('may be read from the cache, unless the route sets checkSession', async () => {
    const { bearer, requestedFreshness } = setupPersonal();
    await bearer.check(`Bearer ${token}`, {});
    await bearer.check(`Bearer ${token}`, { checkSession: true });
    expect(requestedFreshness).toEqual(['recent', 'current']);
  });

  it('is rejected with invalid_token, synchronously, if its checksum is wrong', () => {
    const { bearer } = setupPersonal();
    const rejection = bearer.check(`Bearer lh_pat_${'0'.repeat(36)}`, {});
    expect(rejection).not.toBeInstanceOf(Promise);
    expect(summary(rejection as BearerOutcome)).toEqual(BAD_TOKEN);
  });

  it('is rejected with invalid_token if it is unknown', async () => {
    const { bearer } = setupPersonal();
    expect(summary(await bearer.check(`Bearer ${newPersonalAccessToken()}`, {}))).toEqual(
      BAD_TOKEN,
    );
  });

  it('is rejected with invalid_token if the app has no personal access tokens', async () => {
    const { check } = await setup();
    expect(await check(`Bearer ${token}`)).toEqual(BAD_TOKEN);
  });
});
