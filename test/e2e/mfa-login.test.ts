import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { refreshSecret, signingKey, startTestApp } from '../support/apps/test-app.ts';
import { enrol } from '../support/clients/mfa-calls.ts';
import { errorOf, logIn, refresh, session, tokensOf } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { watchedFactors } from '../support/storage/watched-factors.ts';

const shared = { auth: { mfa: { enrolment: true } } };

inEveryCell('a login at an app with MFA enrolment', (test) => {
  const factors = watchedFactors();

  test(
    'reads the enrolled factor once, after the right password, unless the user store has a factor',
    async (app) => {
      factors.asked.splice(0);
      await logIn(app, 'ada', { password: 'wrong' });
      await logIn(app, 'nobody');
      await logIn(app, 'grace');
      await logIn(app, 'ada', { account_id: 9 });
      expect(factors.asked).toEqual([]);
      const { refresh_token } = await session(app);
      expect(factors.asked).toEqual(['find']);
      tokensOf(await refresh(app, refresh_token));
      expect(factors.asked).toEqual(['find']);
    },
    { ...shared, wrapStorage: factors.wrap },
  );

  test(
    'gets 503 if the storage cannot read the factor',
    async (app) => {
      await enrol(app);
      factors.down = true;
      const response = await logIn(app, 'ada');
      factors.down = false;
      expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
      expect((await app.auth.sessions.list('ada')).length).toBe(1);
    },
    { ...shared, wrapStorage: factors.wrap },
  );

  test(
    'gets 500 if no key decrypts the factor',
    async (app) => {
      await enrol(app);
      const keys = { signing: signingKey, refreshSecrets: [refreshSecret] };
      const other = await startTestApp(app.cell, {
        auth: { ...shared.auth, keys: { ...keys, encryption: [randomBytes(32)] } },
        wrapStorage: () => factors.last(),
        sharedWith: app,
      });
      onTestFinished(() => other.stop());
      expect(errorOf(await logIn(other, 'ada'), 500).error).toBe('server_error');
      expect(other.events.at(-1)).toMatchObject({ type: 'fault', where: 'host' });
    },
    { ...shared, wrapStorage: factors.wrap },
  );
});
