import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { refreshed } from '../support/clients/refresh-calls.ts';
import { errorOf, refresh, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

inEveryCell('the scopes of POST /token by refresh token', (test) => {
  test('may be narrowed for one access token, while the grant stays', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    const narrowed = await refreshed(app, tokens, { scopes: 'user' });
    expect(narrowed.scope).toBe('user');
    expect(decodeJwt(narrowed.access_token)['scope']).toBe('user');
    expect((await refreshed(app, narrowed)).scope).toBe('user admin');
  });

  test('do not consume the token when they are rejected', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(GRACE_MS + SECOND_MS);
    for (const scopes of ['admin', 'root', 'user,']) {
      expect(errorOf(await refresh(app, second.refresh_token, { scopes })).error).toBe(
        'invalid_scope',
      );
    }
    // If one of them had rotated, this would be reuse by now.
    app.clock.advance(GRACE_MS + SECOND_MS);
    await refreshed(app, second);
  });
});

inEveryCell('account_id at POST /token by refresh token', (test) => {
  test('applies to one access token if the login is bound to no account', async (app) => {
    const chosen = await refreshed(app, await session(app), { account_id: 1 });
    expect(decodeJwt(chosen.access_token)['account_id']).toBe(1);
    const next = await refreshed(app, chosen);
    expect(decodeJwt(next.access_token)).not.toHaveProperty('account_id');
  });
});
