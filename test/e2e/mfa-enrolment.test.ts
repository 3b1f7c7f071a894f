import { expect, onTestFinished } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';
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
  wrongCodeOf,
} from '../support/clients/mfa-calls.ts';
import { managerOf } from '../support/clients/pat-calls.ts';
import { readQrSvg } from '../support/clients/read-qr-svg.ts';
import {
  answerChallenge,
  challengeOf,
  errorOf,
  logIn,
  NOT_FOUND_BODY,
  tokensOf,
} from '../support/clients/token-calls.ts';
import { bodyOf, callsOf } from '../support/clients/webhook-calls.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

const shared = { auth: { mfa: { enrolment: true } } };

onEnginesToo(
  'a second factor that a user enrols',
  (test) => {
    test('is asked for at login until it is removed, and a recovery code is accepted instead, once', async (app) => {
      const calls = await callsOf(app, 'ada', { scopes: 'auth' });
      const { secret } = await beginEnrolment(calls);
      // The factor takes effect only once a code has proved it.
      tokensOf(await logIn(app, 'ada'));

      const response = await calls.send('POST', CONFIRM, { code: codeOf(app, secret) });
      const { recovery_codes: codes } = bodyOf<RecoveryCodesBody>(response, 200);
      expect(codes).toHaveLength(10);
      for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);

      expect(challengeOf(await logIn(app, 'ada')).methods).toEqual(['totp', 'recovery_code']);
      app.clock.advance(TOTP_STEP_MS);
      await logInBy(app, codeOf(app, secret));

      // A recovery code is accepted in any spelling, once.
      const [code = ''] = codes;
      const recovered = await logInBy(app, code.toLowerCase().replaceAll('-', ''));
      const again = await answerChallenge(app, await logInToChallenge(app), { code });
      expect(errorOf(again).error).toBe('invalid_grant');

      // New codes replace all old ones.
      const replaced = await recovered.send('POST', RECOVERY_CODES);
      const [fresh = ''] = bodyOf<RecoveryCodesBody>(replaced, 200).recovery_codes;
      const old = await answerChallenge(app, await logInToChallenge(app), { code: codes[1] });
      expect(errorOf(old).error).toBe('invalid_grant');
      await logInBy(app, fresh);

      expect((await recovered.send('DELETE', TOTP)).status).toBe(204);
      tokensOf(await logIn(app, 'ada'));
      const events = app.events.filter(({ type }) => /^(factor|recovery_codes)\./.test(type));
      expect(events).toMatchObject([
        { type: 'factor.enrolled', userId: 'ada', clientAddress: '127.0.0.1' },
        { type: 'recovery_codes.replaced', userId: 'ada', clientAddress: '127.0.0.1' },
        { type: 'factor.removed', userId: 'ada', clientAddress: '127.0.0.1' },
      ]);
    });

    test('is issued as a secret, an otpauth URI and a QR code of the URI', async (app) => {
      app.users.change('ada', { username: 'ada@example.com' });
      const { secret, otpauth_uri, qr_svg } = await beginEnrolment(await managerOf(app));
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(otpauth_uri).toBe(
        `otpauth://totp/api.example.com:ada%40example.com?secret=${secret}&issuer=api.example.com`,
      );
      expect(readQrSvg(qr_svg)).toBe(otpauth_uri);
    });

    test(
      'has the issuer name that the host configures',
      async (app) => {
        const { otpauth_uri, qr_svg } = await beginEnrolment(await managerOf(app));
        expect(new URL(otpauth_uri).searchParams.get('issuer')).toBe('Ex & Söhne');
        expect(readQrSvg(qr_svg)).toBe(otpauth_uri);
      },
      { auth: { mfa: { enrolment: true, issuerName: 'Ex & Söhne' } } },
    );

    test('does not change the response to a wrong password', async (app) => {
      const before = await logIn(app, 'ada', { password: 'wrong' });
      await enrol(app);
      const after = await logIn(app, 'ada', { password: 'wrong' });
      expect([after.status, after.body]).toEqual([before.status, before.body]);
      const nobody = await logIn(app, 'nobody', { password: 'wrong' });
      expect([nobody.status, nobody.body]).toEqual([before.status, before.body]);
    });
  },
  shared,
);

onEnginesToo(
  'confirming a factor',
  (test) => {
    test('uses up the code, which no login accepts again', async (app) => {
      const { secret } = await enrol(app);
      const code = codeOf(app, secret);
      const reuse = errorOf(await answerChallenge(app, await logInToChallenge(app), { code }));
      expect(reuse).toMatchObject({ error: 'invalid_grant', attempts_remaining: 4 });
      expect(app.events.at(-1)).toMatchObject({ type: 'challenge.failed', reason: 'step_used' });
      app.clock.advance(TOTP_STEP_MS);
      await logInBy(app, codeOf(app, secret));
    });

    test('accepts the code of this time step and the one before, as text or number', async (app) => {
      for (const steps of [0, -1]) {
        for (const toCode of [String, Number]) {
          const calls = await managerOf(app, 'ada');
          const { secret } = await beginEnrolment(calls);
          const code = toCode(codeOf(app, secret, steps));
          bodyOf(await calls.send('POST', CONFIRM, { code }), 200);
          await app.auth.factors.remove('ada');
        }
      }
    });

    test('rejects a wrong code, and then accepts the right one', async (app) => {
      const calls = await managerOf(app);
      const { secret } = await beginEnrolment(calls);
      for (const steps of [-2, 1, 2, -5, 5, -6, 6]) {
        const response = await calls.send('POST', CONFIRM, {
          code: wrongCodeOf(app, secret, steps),
        });
        expect(errorOf(response)).toEqual({
          error: 'invalid_grant',
          error_description: 'The code is wrong.',
        });
      }
      bodyOf(await calls.send('POST', CONFIRM, { code: codeOf(app, secret) }), 200);
    });

    test('rejects malformed codes and unknown fields', async (app) => {
      const calls = await managerOf(app);
      await beginEnrolment(calls);
      for (const code of ['', '12345', '1234567', 'AAAA-AAAA-AAAA-AAAA', -1, 1.5, null, ['1']]) {
        const { error, errors } = errorOf(await calls.send('POST', CONFIRM, { code }));
        expect([error, errors]).toEqual([
          'invalid_request',
          [{ field: 'code', message: 'must be six digits' }],
        ]);
      }
      for (const body of [{}, { code: '000000', secret: 'x' }, '{']) {
        expect(errorOf(await calls.send('POST', CONFIRM, body)).error).toBe('invalid_request');
      }
    });

    test('gets 404 without a pending enrolment, after ten minutes, and from another login', async (app) => {
      const calls = await managerOf(app);
      const none = await calls.send('POST', CONFIRM, { code: '000000' });
      expect([none.status, none.body]).toEqual([404, NOT_FOUND_BODY]);

      const first = await beginEnrolment(calls);
      // This replaces the first enrolment, so a code of the first secret is wrong now.
      const second = await beginEnrolment(calls);
      const old = wrongCodeOf(app, second.secret, 0, first.secret);
      const outdated = await calls.send('POST', CONFIRM, { code: old });
      expect(errorOf(outdated).error).toBe('invalid_grant');

      // Another login cannot confirm the enrolment, although it knows the secret.
      const other = await managerOf(app);
      const foreign = await other.send('POST', CONFIRM, { code: codeOf(app, second.secret) });
      expect([foreign.status, foreign.body]).toEqual([404, NOT_FOUND_BODY]);
      const failed = app.events.filter(({ type }) => type === 'enrolment.failed');
      expect(failed).toMatchObject([
        { userId: 'ada', reason: 'none_pending', clientAddress: '127.0.0.1' },
        { userId: 'ada', reason: 'wrong_code', clientAddress: '127.0.0.1' },
        { userId: 'ada', reason: 'none_pending', clientAddress: '127.0.0.1' },
      ]);

      app.clock.advance(600_000);
      const nextLogin = await managerOf(app);
      const late = await nextLogin.send('POST', CONFIRM, { code: codeOf(app, second.secret) });
      expect([late.status, late.body]).toEqual([404, NOT_FOUND_BODY]);
    });

    test('checks the code by the clock of the storage, like a login', async (app) => {
      const skewed = await startTestApp(app.cell, { ...shared, sharedWith: app, aheadMs: 600_000 });
      onTestFinished(() => skewed.stop());
      const { secret } = await enrol(skewed);
      app.clock.advance(TOTP_STEP_MS);
      await logInBy(skewed, codeOf(app, secret));
    });
  },
  shared,
);
