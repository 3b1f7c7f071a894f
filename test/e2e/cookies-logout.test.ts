import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';
import { ACCESS, openCookiePage, REFRESH } from '../support/clients/cookie-page.ts';
import { BAD_TOKEN, expectRejected } from '../support/clients/expect-rejected.ts';
import { errorOf, get, refresh } from '../support/clients/token-calls.ts';

describe.each(['express', 'koa'] as const)('a logout by cookies in %s', (framework) => {
  it.each([
    ['refresh', REFRESH],
    ['access', ACCESS],
  ])('ends the session if the %s token cannot be verified', async (_, unverifiable) => {
    const app = await startTestApp({ framework, storage: 'memory' }, { auth: { cookies: true } });
    onTestFinished(() => app.stop());
    const page = openCookiePage(app.send);
    await page.logIn();
    const { [ACCESS]: access = '', [REFRESH]: token = '' } = Object.fromEntries(page.jar);
    // The token no longer verifies, as after its secret or key was dropped.
    page.jar.set(unverifiable, `${page.jar.get(unverifiable)}A`);

    expect((await page.send('POST', '/token/revoke', {})).status).toBe(200);
    expect(page.jar.size).toBe(0);
    expectRejected(await get(app, '/users/self/sessions', access), BAD_TOKEN);
    expect(errorOf(await refresh(app, token)).error).toBe('invalid_grant');
    expect(app.events.filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
  });
});
