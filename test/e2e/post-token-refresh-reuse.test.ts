import { expect } from 'vitest';
import { expectDeadToken, refreshed } from '../support/clients/refresh-calls.ts';
import { session } from '../support/clients/token-calls.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

onEnginesToo('reuse of a refresh token at POST /token', (test) => {
  test('returns the same successor until 59 s after the rotation', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    expect((await refreshed(app, first)).refresh_token).toBe(second.refresh_token);
    app.clock.advance(GRACE_MS - SECOND_MS);
    expect((await refreshed(app, first)).refresh_token).toBe(second.refresh_token);
    await refreshed(app, second);
  });

  test('ends the session after 61 s', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(GRACE_MS + SECOND_MS);
    await expectDeadToken(app, first);
    await expectDeadToken(app, second);
  });

  test(
    'ends the session without any delay if the host has set no grace',
    async (app) => {
      const first = await session(app);
      await refreshed(app, first);
      app.clock.advance(1);
      await expectDeadToken(app, first);
    },
    { auth: { lifetimes: { refreshGraceSeconds: 0 } } },
  );

  test('gets the same error as a malformed, unknown or revoked token, to the byte', async (app) => {
    const { refresh_token } = await session(app);
    const flipped = refresh_token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const token of ['x', 'lh_rt_', `${refresh_token}A`, flipped, 'lh_rt_AAAA', ' ']) {
      await expectDeadToken(app, { ...(await session(app)), refresh_token: token });
    }
    const revoked = await session(app);
    await app.auth.sessions.revokeAll('ada');
    await expectDeadToken(app, revoked);
  });
});
