import { expect } from 'vitest';
import {
  begin,
  CONFIRM,
  codeOf,
  enrol,
  logInBy,
  RECOVERY_CODES,
  type RecoveryCodesBody,
} from '../support/clients/mfa-calls.ts';
import {
  drill,
  eventsOf,
  expectEnded,
  holding,
  meanwhile,
} from '../support/clients/overtaken-requests.ts';
import { logIn, tokensOf } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell(
  'a factor that is changed while the session ends',
  (claim) => {
    claim('is not there if it would have been the first', async (app) => {
      const thief = await callsOf(app, 'ada', { scopes: 'user,auth' });
      const { secret } = await begin(thief);
      const answer = await meanwhile(
        () => thief.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        () => drill(app),
      );
      await expectEnded(answer, thief);
      expect(eventsOf(app, 'factor.')).toEqual(['factor.enrolled', 'factor.removed']);
      app.clock.advance(1);
      tokensOf(await logIn(app, 'ada'));
    });

    claim('is not there either if the login had shown one that is gone', async (app) => {
      const { secret: old } = await enrol(app);
      app.clock.advance(30_000);
      const thief = await logInBy(app, codeOf(app, old));
      await app.auth.factors.remove('ada');
      const { secret } = await begin(thief);
      const answer = await meanwhile(
        () => thief.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        () => drill(app),
      );
      await expectEnded(answer, thief);
      app.clock.advance(1);
      tokensOf(await logIn(app, 'ada'));
    });

    claim(
      'stays if it took the place of another, without which less would be asked for',
      async (app) => {
        const { calls } = await enrol(app);
        app.clock.advance(30_000);
        const { secret } = await begin(calls);
        const answer = await meanwhile(
          () => calls.send('POST', CONFIRM, { code: codeOf(app, secret) }),
          () => drill(app),
        );
        await expectEnded(answer, calls);
        app.clock.advance(30_000);
        await logInBy(app, codeOf(app, secret));
      },
    );

    claim('tells no new recovery codes', async (app) => {
      const { calls, secret } = await enrol(app);
      const answer = await meanwhile(
        () => calls.send('POST', RECOVERY_CODES),
        () => drill(app),
      );
      await expectEnded(answer, calls);
      app.clock.advance(30_000);
      const owner = await logInBy(app, codeOf(app, secret));
      const codes = bodyOf<RecoveryCodesBody>(await owner.send('POST', RECOVERY_CODES), 200);
      expect(codes.recovery_codes).toHaveLength(10);
    });
  },
  holding,
);
