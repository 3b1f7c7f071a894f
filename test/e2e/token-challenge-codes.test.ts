import { expect } from 'vitest';
import { GRACE_RECOVERY_CODES } from '../support/apps/test-app.ts';
import {
  answerChallenge,
  errorOf,
  pendingChallenge,
  totp,
  wrongCode,
} from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

const [RECOVERY_CODE, OTHER_RECOVERY_CODE] = GRACE_RECOVERY_CODES;

inEveryCell('the code of POST /token/challenge', (test) => {
  test('may contain spaces, dashes and full-width digits', async (app) => {
    for (const paste of [
      (code: string) => ` ${code.slice(0, 3)}\u00a0${code.slice(3)}\n`,
      (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
      (code: string) =>
        code.replace(/\d/g, (digit) => '０１２３４５６７８９'.charAt(Number(digit))),
    ]) {
      const challenge = await pendingChallenge(app);
      const response = await answerChallenge(app, challenge, { code: paste(totp(app)) });
      expect(response.status).toBe(200);
      app.clock.advance(TOTP_STEP_MS);
    }
  });

  test('is accepted only once if it is a recovery code', async (app) => {
    const first = await answerChallenge(app, await pendingChallenge(app), { code: RECOVERY_CODE });
    expect(first.status).toBe(200);
    const challenge = await pendingChallenge(app);
    const again = await answerChallenge(app, challenge, { code: RECOVERY_CODE });
    expect(errorOf(again).attempts_remaining).toBe(4);
    const other = await answerChallenge(app, challenge, { code: OTHER_RECOVERY_CODE });
    expect(other.status).toBe(200);
  });

  test('uses up no attempt if it is malformed', async (app) => {
    const challenge = await pendingChallenge(app);
    const right = totp(app);
    const malformed: readonly unknown[] = [
      '12345',
      '1234567',
      '',
      '123.456',
      `${right} ${right}`,
      '12345a',
      'ABCD-EFGH-IJKL',
      'ABCD-EFGH-IJKL-MN01',
      -1,
      1_000_000,
      123.5,
      null,
      true,
      ['123456'],
      {},
      undefined,
    ];
    for (const code of malformed) {
      const error = errorOf(await answerChallenge(app, challenge, { code }));
      expect(error, JSON.stringify(code)).toMatchObject({
        error: 'invalid_request',
        errors: [{ field: 'code' }],
      });
    }
    const wrong = await answerChallenge(app, challenge, { code: wrongCode(app) });
    expect(errorOf(wrong).attempts_remaining).toBe(4);
  });

  test('is accepted only once over all challenges if it is a TOTP code', async (app) => {
    const code = totp(app);
    const first = await answerChallenge(app, await pendingChallenge(app), { code });
    expect(first.status).toBe(200);
    const second = await answerChallenge(app, await pendingChallenge(app), { code });
    expect(errorOf(second)).toMatchObject({ error: 'invalid_grant', attempts_remaining: 4 });
    // The previous time step is in time, but a later step has been used.
    const earlier = { code: totp(app, -1) };
    const third = await answerChallenge(app, await pendingChallenge(app), earlier);
    expect(errorOf(third).error).toBe('invalid_grant');
  });
});
