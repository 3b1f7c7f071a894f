import { expect } from 'vitest';
import { eventTypesOf } from '../support/apps/test-app.ts';
import { expectEnded } from '../support/clients/expect-rejected.ts';
import {
  failSessionChecks,
  interruptAfterChange,
  interruptBeforeChange,
  interruptible,
} from '../support/clients/interrupted-requests.ts';
import {
  beginEnrolment,
  CONFIRM,
  codeOf,
  enrol,
  logInBy,
  logInToChallenge,
  RECOVERY_CODES,
  type RecoveryCodesBody,
  TOTP,
} from '../support/clients/mfa-calls.ts';
import { revokeAllCredentials } from '../support/clients/pat-calls.ts';
import { errorOf, logIn, tokensOf } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

inEveryCell(
  'a factor that is changed while the session ends',
  (test) => {
    test('is removed again if it is the first factor', async (app) => {
      const thief = await callsOf(app, 'ada', { scopes: 'user,auth' });
      const { secret } = await beginEnrolment(thief);
      const response = await interruptBeforeChange(
        () => thief.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(eventTypesOf(app, 'factor.')).toEqual(['factor.enrolled', 'factor.removed']);
      app.clock.advance(1);
      tokensOf(await logIn(app, 'ada'));
    });

    test('is removed, while a factor that was enrolled later stays', async (app) => {
      const { mfa } = app.cellStorage.storage;
      const thief = await callsOf(app, 'ada', { scopes: 'user,auth' });
      const { secret } = await beginEnrolment(thief);
      const response = await interruptAfterChange(
        () => thief.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        async () => {
          await revokeAllCredentials(app);
          await app.auth.factors.remove('ada');
          await mfa?.begin('ada', {
            sessionId: 's1',
            enrolmentId: 'owner',
            encryptedSecret: 'encrypted',
            ttlMs: 1000,
          });
          await mfa?.confirm('ada', {
            sessionId: 's1',
            enrolmentId: 'owner',
            recoveryCodeHashes: ['hash'],
          });
        },
      );
      await expectEnded(response, thief);
      expect(await mfa?.find('ada')).toMatchObject({
        enrolmentId: 'owner',
        recoveryCodesLeft: 1,
      });
      expect(eventTypesOf(app, 'factor.')).toEqual(['factor.enrolled', 'factor.removed']);
    });

    test('is removed again if the login was by a factor that is gone', async (app) => {
      const { secret: old } = await enrol(app);
      app.clock.advance(TOTP_STEP_MS);
      const thief = await logInBy(app, codeOf(app, old));
      await app.auth.factors.remove('ada');
      const { secret } = await beginEnrolment(thief);
      const response = await interruptBeforeChange(
        () => thief.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      app.clock.advance(1);
      tokensOf(await logIn(app, 'ada'));
    });

    test('does not replace the existing factor', async (app) => {
      const { calls, secret: old } = await enrol(app);
      app.clock.advance(TOTP_STEP_MS);
      const { secret } = await beginEnrolment(calls);
      const response = await interruptBeforeChange(
        () => calls.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, calls);
      app.clock.advance(TOTP_STEP_MS);
      await logInBy(app, codeOf(app, old));
      expect(eventTypesOf(app, 'factor.')).toEqual(['factor.enrolled']);
    });

    test('stays if it has already replaced an older factor', async (app) => {
      const { calls } = await enrol(app);
      app.clock.advance(TOTP_STEP_MS);
      const { secret } = await beginEnrolment(calls);
      const response = await interruptAfterChange(
        () => calls.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        () => revokeAllCredentials(app),
        { checksBeforeChange: 1 },
      );
      await expectEnded(response, calls);
      app.clock.advance(TOTP_STEP_MS);
      await logInBy(app, codeOf(app, secret));
    });

    test('is not removed if the session ends before the removal', async (app) => {
      const { calls, secret } = await enrol(app);
      const response = await interruptBeforeChange(
        () => calls.send('DELETE', TOTP),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, calls);
      app.clock.advance(TOTP_STEP_MS);
      await logInBy(app, codeOf(app, secret));
      expect(eventTypesOf(app, 'factor.')).toEqual(['factor.enrolled']);
    });

    test('stays if the state of the session cannot be read', async (app) => {
      const { calls } = await enrol(app);
      const response = await interruptBeforeChange(
        () => calls.send('DELETE', TOTP),
        async () => failSessionChecks(),
      );
      expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
      expect(await logInToChallenge(app)).not.toBe('');
    });

    test('keeps its recovery codes if the session ends before their replacement', async (app) => {
      const { calls, recoveryCodes } = await enrol(app);
      const response = await interruptBeforeChange(
        () => calls.send('POST', RECOVERY_CODES),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, calls);
      app.clock.advance(1);
      await logInBy(app, recoveryCodes[0] ?? '');
      expect(eventTypesOf(app, 'recovery_codes.')).toEqual([]);
    });

    test('gets new recovery codes that no response returns if the session ends after the replacement', async (app) => {
      const { calls, secret } = await enrol(app);
      const response = await interruptAfterChange(
        () => calls.send('POST', RECOVERY_CODES),
        () => revokeAllCredentials(app),
        { checksBeforeChange: 1 },
      );
      await expectEnded(response, calls);
      app.clock.advance(TOTP_STEP_MS);
      const owner = await logInBy(app, codeOf(app, secret));
      const codes = bodyOf<RecoveryCodesBody>(await owner.send('POST', RECOVERY_CODES), 200);
      expect(codes.recovery_codes).toHaveLength(10);
    });
  },
  interruptible,
);
