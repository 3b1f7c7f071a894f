import { expect } from 'vitest';
import { expectDeadToken, refreshed } from '../support/clients/refresh-calls.ts';
import { session, type TokenBody } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const DAY_MS = 86_400_000;
const IDLE_MS = 30 * DAY_MS;

inEveryCell('the lifetime of a session', (test) => {
  test('ends after 30 idle days', async (app) => {
    const [one, two] = [await session(app), await session(app)];
    app.clock.advance(IDLE_MS - 1000);
    await refreshed(app, one);
    app.clock.advance(1000);
    await expectDeadToken(app, two);
  });

  test('ends after 90 days despite refreshes', async (app) => {
    let tokens = await session(app);
    for (let days = 20; days < 90; days += 20) {
      app.clock.advance(20 * DAY_MS);
      tokens = await refreshed(app, tokens);
    }
    expect(tokens.refresh_expires_in).toBe((10 * DAY_MS) / 1000);
    app.clock.advance(10 * DAY_MS);
    await expectDeadToken(app, tokens);
  });

  test(
    'is configurable by the host',
    async (app) => {
      const tokens = await session(app);
      expect([tokens.expires_in, tokens.refresh_expires_in]).toEqual([120, 120]);
      app.clock.advance(120_000);
      await expectDeadToken(app, tokens);
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

inEveryCell('the sessions of one user', (test) => {
  test(
    'are limited by the cap, which ends the least recently used session',
    async (app) => {
      const tokens: TokenBody[] = [];
      for (let logins = 0; logins < 3; logins += 1) {
        tokens.push(await session(app));
        app.clock.advance(1000);
      }
      const [oldest, ...live] = tokens;
      await expectDeadToken(app, oldest as TokenBody);
      for (const each of live) await refreshed(app, each);
    },
    { auth: { maxSessionsPerUser: 2 } },
  );
});
