import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { inEveryCell } from '../support/in-every-cell.ts';
import { storageSwitch } from '../support/storage-switch.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  errorOf,
  postForm,
  postJson,
  refresh,
  session,
  type TokenBody,
  tokensOf,
} from '../support/token-calls.ts';

const DAY_MS = 86_400_000;
const IDLE_MS = 30 * DAY_MS;
const ABSOLUTE_MS = 90 * DAY_MS;

async function refreshed(
  app: TestApp,
  { refresh_token }: TokenBody,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TokenBody> {
  return tokensOf(await refresh(app, refresh_token, fields));
}

/** Refuses as it refuses any token that is no good, and says no more of it. */
async function expectDead(app: TestApp, { refresh_token }: TokenBody): Promise<void> {
  expect(errorOf(await refresh(app, refresh_token))).toEqual({
    error: 'invalid_grant',
    error_description: 'The refresh token is not valid.',
  });
}

inEveryCell('POST /token by refresh token', (claim) => {
  claim('answers a new access token and a rotated refresh token', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(second).toMatchObject({ token_type: 'bearer', expires_in: 3600, accounts: [1, 2] });
  });

  claim('is of v2 where no version is named, and of v1 where that is', async (app) => {
    const { refresh_token } = await session(app);
    const v2 = Object.keys(JSON.parse((await refresh(app, refresh_token)).body));
    const v1 = Object.keys(JSON.parse((await refresh(app, refresh_token, {}, '?version=v1')).body));
    expect(v2.slice(5)).toEqual(['scope', 'refresh_expires_in']);
    expect(v1).toEqual(v2.slice(0, 5));
  });

  claim('keeps the session, and when and how it was authenticated', async (app) => {
    const first = await session(app);
    app.clock.advance(1000 * 1000);
    const before = decodeJwt(first.access_token);
    const after = decodeJwt((await refreshed(app, first)).access_token);
    for (const name of ['sid', 'auth_time', 'amr', 'sub'])
      expect(after[name]).toEqual(before[name]);
    expect(after.iat).toBe((before.iat ?? 0) + 1000);
    expect(after.jti).not.toBe(before.jti);
  });

  claim('obeys expiration_seconds as a login does', async (app) => {
    let tokens = await session(app);
    for (const [asked, answered] of [
      [600, 600],
      [1e9, 86_400],
    ]) {
      tokens = await refreshed(app, tokens, { expiration_seconds: asked });
      expect(tokens.expires_in).toBe(answered);
    }
    const answer = await refresh(app, tokens.refresh_token, { expiration_seconds: 599 });
    expect(errorOf(answer).error).toBe('invalid_request');
  });

  claim('is taken as a form, with scope and client_id', async (app) => {
    const { refresh_token } = await session(app, 'ada', { scopes: 'user,admin' });
    const fields = { grant_type: 'refresh_token', refresh_token, scope: 'admin', client_id: 'web' };
    expect(tokensOf(await postForm(app, '/token', fields)).scope).toBe('admin');
  });

  claim('needs a refresh_token that is a string', async (app) => {
    for (const refresh_token of [undefined, 1, null, '', ['x'], {}]) {
      const answer = await postJson(app, '/token', { grant_type: 'refresh_token', refresh_token });
      expect(errorOf(answer).errors?.[0]?.field).toBe('refresh_token');
    }
  });

  claim('ignores a username and a password, since the grant decides', async (app) => {
    const { refresh_token } = await session(app);
    const fields = { username: 'nobody', password: 1 };
    expect((await refresh(app, refresh_token, fields)).status).toBe(200);
  });

  claim('ignores what it does not know', async (app) => {
    const { refresh_token } = await session(app);
    expect((await refresh(app, refresh_token, { challenge: null })).status).toBe(200);
  });
});

inEveryCell('POST /token by refresh token: the user is asked for again', (claim) => {
  claim('refuses a disabled user, and lets them go on once they are enabled again', async (app) => {
    const tokens = await session(app);
    app.users.change('ada', { disabled: true });
    await expectDead(app, tokens);
    app.users.change('ada', { disabled: false });
    expect((await refresh(app, tokens.refresh_token)).status).toBe(200);
  });

  claim('refuses who is no longer a member of the bound account', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    app.users.change('ada', { accounts: [1] });
    await expectDead(app, tokens);
  });

  claim('tells the accounts as they are now', async (app) => {
    const tokens = await session(app);
    app.users.change('ada', { accounts: [1, 5] });
    const now = await refreshed(app, tokens);
    expect(now.accounts).toEqual([1, 5]);
    expect(decodeJwt(now.access_token)['accounts']).toEqual([1, 5]);
  });

  claim('refuses sessions from before a change of the password', async (app) => {
    const tokens = await session(app);
    app.clock.advance(1000);
    app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() });
    await expectDead(app, tokens);
    app.clock.advance(1000);
    await refreshed(app, await session(app));
  });
});

inEveryCell('POST /token by refresh token: scopes', (claim) => {
  claim('are those granted, less auth', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin,auth' });
    expect((await refreshed(app, tokens)).scope).toBe('user admin');
  });

  claim('are those granted, less what the user has lost since', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    app.users.change('ada', { scopes: ['user'] });
    expect((await refreshed(app, tokens)).scope).toBe('user');
  });

  claim('are refused where nothing is left', async (app) => {
    const auth = await session(app, 'ada', { scopes: 'auth' });
    expect(errorOf(await refresh(app, auth.refresh_token)).error).toBe('invalid_scope');
    const admin = await session(app, 'ada', { scopes: 'admin' });
    app.users.change('ada', { scopes: ['user'] });
    expect(errorOf(await refresh(app, admin.refresh_token)).error).toBe('invalid_scope');
  });

  claim('may narrow this one answer, and the grant stays', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    const narrowed = await refreshed(app, tokens, { scopes: 'user' });
    expect(narrowed.scope).toBe('user');
    expect(decodeJwt(narrowed.access_token)['scope']).toBe('user');
    expect((await refreshed(app, narrowed)).scope).toBe('user admin');
  });

  claim('may never widen', async (app) => {
    const { refresh_token } = await session(app, 'ada', { scopes: 'user,auth' });
    for (const scopes of ['admin', 'user,admin', 'auth', 'user,auth']) {
      expect(errorOf(await refresh(app, refresh_token, { scopes })).error).toBe('invalid_scope');
    }
  });

  claim('that are refused consume nothing', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(61_000);
    for (const scopes of ['admin', 'root', 'user,']) {
      expect(errorOf(await refresh(app, second.refresh_token, { scopes })).error).toBe(
        'invalid_scope',
      );
    }
    // Had one of them rotated, this would be a reuse by now.
    app.clock.advance(61_000);
    await refreshed(app, second);
  });
});

inEveryCell('POST /token by refresh token: account_id', (claim) => {
  claim('may be given again', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    const again = await refreshed(app, tokens, { account_id: 2 });
    expect(decodeJwt(again.access_token)['account_id']).toBe(2);
  });

  claim('stays bound where it is not given', async (app) => {
    const again = await refreshed(app, await session(app, 'ada', { account_id: 2 }));
    expect(decodeJwt(again.access_token)['account_id']).toBe(2);
  });

  claim('may be chosen for this one answer where none was bound at login', async (app) => {
    const chosen = await refreshed(app, await session(app), { account_id: 1 });
    expect(decodeJwt(chosen.access_token)['account_id']).toBe(1);
    const next = await refreshed(app, chosen);
    expect(decodeJwt(next.access_token)).not.toHaveProperty('account_id');
  });

  claim('is malformed where another was bound, and consumes nothing', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    for (const account_id of [1, 3]) {
      const answer = await refresh(app, tokens.refresh_token, { account_id });
      expect(errorOf(answer).error).toBe('invalid_request');
    }
    app.clock.advance(61_000);
    await refreshed(app, tokens);
  });

  claim('is denied where it is not the user’s, and consumes nothing', async (app) => {
    const tokens = await session(app);
    const answer = await refresh(app, tokens.refresh_token, { account_id: 3 });
    expect(errorOf(answer, 403).error).toBe('access_denied');
    app.clock.advance(61_000);
    await refreshed(app, tokens);
  });
});

inEveryCell('POST /token by refresh token: one winner a generation', (claim) => {
  claim('answers the predecessor with the same successor, at once and at 59 s', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    expect((await refreshed(app, first)).refresh_token).toBe(second.refresh_token);
    app.clock.advance(59_000);
    expect((await refreshed(app, first)).refresh_token).toBe(second.refresh_token);
    await refreshed(app, second);
  });

  claim('ends the session where the predecessor comes at 61 s', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(61_000);
    await expectDead(app, first);
    await expectDead(app, second);
  });

  claim('ends the session where an older token comes, within the grace too', async (app) => {
    const first = await session(app);
    const third = await refreshed(app, await refreshed(app, first));
    await expectDead(app, first);
    await expectDead(app, third);
  });

  claim('does not count the grace anew from a replay', async (app) => {
    const first = await session(app);
    await refreshed(app, first);
    app.clock.advance(40_000);
    await refreshed(app, first);
    app.clock.advance(21_000);
    await expectDead(app, first);
  });

  claim('ends no other session of the user', async (app) => {
    const [first, other] = [await session(app), await session(app)];
    await refreshed(app, first);
    app.clock.advance(61_000);
    await expectDead(app, first);
    await refreshed(app, other);
  });

  claim(
    'has no grace where the host has set none',
    async (app) => {
      const first = await session(app);
      await refreshed(app, first);
      app.clock.advance(1);
      await expectDead(app, first);
    },
    { auth: { lifetimes: { refreshGraceSeconds: 0 } } },
  );

  claim(
    'refuses malformed, unknown, expired, revoked and reused alike, to the byte',
    async (app) => {
      const { refresh_token } = await session(app);
      const flipped = refresh_token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      for (const token of ['x', 'lh_rt_', `${refresh_token}A`, flipped, 'lh_rt_AAAA', ' ']) {
        await expectDead(app, { ...(await session(app)), refresh_token: token });
      }
      const forgotten = await session(app);
      await app.auth.sessions.revokeAll('ada');
      await expectDead(app, forgotten);
    },
  );
});

inEveryCell('POST /token by refresh token: lifetimes', (claim) => {
  claim('ends after 30 idle days', async (app) => {
    const [one, two] = [await session(app), await session(app)];
    app.clock.advance(IDLE_MS - 1000);
    await refreshed(app, one);
    app.clock.advance(1000);
    await expectDead(app, two);
  });

  claim('begins to idle anew at each refresh, and tells so', async (app) => {
    let tokens = await session(app);
    for (let refreshes = 0; refreshes < 2; refreshes += 1) {
      app.clock.advance(29 * DAY_MS);
      tokens = await refreshed(app, tokens);
      expect(tokens.refresh_expires_in).toBe(IDLE_MS / 1000);
    }
  });

  claim('ends after 90 days, however often it is refreshed', async (app) => {
    let tokens = await session(app);
    for (let days = 20; days < 90; days += 20) {
      app.clock.advance(20 * DAY_MS);
      tokens = await refreshed(app, tokens);
    }
    expect(tokens.refresh_expires_in).toBe((10 * DAY_MS) / 1000);
    app.clock.advance(10 * DAY_MS);
    await expectDead(app, tokens);
  });

  claim('issues no access token that outlives the session', async (app) => {
    let tokens = await session(app);
    for (let days = 0; days < 75; days += 25) {
      app.clock.advance(25 * DAY_MS);
      tokens = await refreshed(app, tokens);
    }
    app.clock.advance(ABSOLUTE_MS - 75 * DAY_MS - 10_000);
    const last = await refreshed(app, tokens, { expiration_seconds: 3600 });
    expect(last.expires_in).toBeLessThanOrEqual(10);
    expect(last.refresh_expires_in).toBeLessThanOrEqual(10);
  });

  claim('is extended by no replay', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(50_000);
    const replayed = await refreshed(app, first);
    expect(replayed.refresh_expires_in).toBe(second.refresh_expires_in - 50);
    app.clock.advance(IDLE_MS - 50_000);
    await expectDead(app, replayed);
  });

  claim(
    'obeys the host’s own',
    async (app) => {
      const tokens = await session(app);
      expect([tokens.expires_in, tokens.refresh_expires_in]).toEqual([600, 120]);
      app.clock.advance(120_000);
      await expectDead(app, tokens);
    },
    {
      auth: {
        lifetimes: {
          accessTokenSeconds: 600,
          refreshIdleSeconds: 120,
          refreshAbsoluteSeconds: 3600,
        },
      },
    },
  );
});

inEveryCell('POST /token by refresh token: sessions of one user', (claim) => {
  claim(
    'are as many as the cap, and the least recently used gives way',
    async (app) => {
      const tokens: TokenBody[] = [];
      for (let logins = 0; logins < 3; logins += 1) {
        tokens.push(await session(app));
        app.clock.advance(1000);
      }
      const [oldest, ...live] = tokens;
      await expectDead(app, oldest as TokenBody);
      for (const each of live) await refreshed(app, each);
    },
    { auth: { maxSessionsPerUser: 2 } },
  );
});

const storage = storageSwitch();

inEveryCell(
  'POST /token by refresh token: garbage',
  (claim) => {
    claim('costs no storage trip', async (app) => {
      const { refresh_token } = await session(app);
      storage.calls = 0;
      const bytes = Buffer.from(refresh_token.slice('lh_rt_'.length), 'base64url');
      for (let index = 0; index < bytes.length; index += 7) {
        const flipped = Buffer.from(bytes);
        flipped[index] = (flipped[index] ?? 0) ^ 1;
        const answer = await refresh(app, `lh_rt_${flipped.toString('base64url')}`);
        expect(errorOf(answer).error).toBe('invalid_grant');
      }
      expect(storage.calls).toBe(0);
      await refresh(app, refresh_token);
      expect(storage.calls).toBe(1);
    });
  },
  { wrapStorage: storage.wrap },
);
