import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { inEveryCell } from '../support/in-every-cell.ts';
import { GRACE_RECOVERY_CODES, type TestApp } from '../support/test-app.ts';
import {
  answerChallenge,
  challengeOf,
  errorOf,
  type Fields,
  get,
  logIn,
  pendingChallenge,
  postForm,
  postJson,
  tokensOf,
  totp,
  wrongCode,
} from '../support/token-calls.ts';
import { GRACE_TOTP_SECRET } from '../support/users.ts';

const [RECOVERY_CODE, OTHER_RECOVERY_CODE] = GRACE_RECOVERY_CODES;

async function guess(app: TestApp, challenge: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const answer = await answerChallenge(app, challenge, { code: wrongCode(app) });
    expect(errorOf(answer).error).toBe('invalid_grant');
  }
}

/** So many wrong codes, over as many challenges as that takes. */
async function fail(app: TestApp, times: number): Promise<void> {
  for (let left = times; left > 0; left -= 5) {
    await guess(app, await pendingChallenge(app), Math.min(5, left));
  }
}

/** Refuses without a word about attempts. */
async function expectDead(app: TestApp, challenge: string, code = totp(app)): Promise<void> {
  expect(errorOf(await answerChallenge(app, challenge, { code }))).toEqual({
    error: 'invalid_grant',
    error_description: 'The challenge is not valid.',
  });
}

inEveryCell('POST /token/challenge', (claim) => {
  claim('answers the success variant', async (app) => {
    const challenge = await pendingChallenge(app);
    const tokens = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, accounts: [2] });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: 'grace',
      scope: 'user',
      amr: ['pwd', 'otp'],
    });
    expect((await get(app, '/me', tokens.access_token)).status).toBe(200);
  });

  claim('takes the version and the account from the login', async (app) => {
    const login = await logIn(app, 'grace', { account_id: 2 }, '?version=v1');
    const { challenge } = challengeOf(login);
    const tokens = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    expect(Object.keys(tokens)).toHaveLength(5);
    expect(decodeJwt(tokens.access_token)['account_id']).toBe(2);
  });

  claim('has defaults of its own for scopes and lifetime', async (app) => {
    const login = { scopes: 'user,admin', expiration_seconds: 7200 };
    const challenge = await pendingChallenge(app, login);
    const tokens = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    expect(tokens).toMatchObject({ scope: 'user', expires_in: 3600 });
  });

  claim('grants scopes and a lifetime that are asked for here', async (app) => {
    const challenge = await pendingChallenge(app);
    const asked = { code: totp(app), scopes: ['admin', 'user'], expiration_seconds: 600 };
    const tokens = tokensOf(await answerChallenge(app, challenge, asked));
    expect(tokens).toMatchObject({ scope: 'user admin', expires_in: 600 });
  });

  claim('is taken as a form, with comma separated scopes', async (app) => {
    const fields = { challenge: await pendingChallenge(app), code: totp(app) };
    const answer = await postForm(app, '/token/challenge', { ...fields, scopes: 'user,admin' });
    expect(tokensOf(answer).scope).toBe('user admin');
  });

  claim('takes RFC 6749’s scope in place of scopes, but not both', async (app) => {
    const challenge = await pendingChallenge(app);
    const both = { code: totp(app), scope: 'user admin', scopes: ['user'] };
    expect(errorOf(await answerChallenge(app, challenge, both)).error).toBe('invalid_request');
    const one = { code: totp(app), scope: 'user admin' };
    expect(tokensOf(await answerChallenge(app, challenge, one)).scope).toBe('user admin');
  });

  claim('is not cached, whatever it answers', async (app) => {
    const challenge = await pendingChallenge(app);
    for (const code of ['x', wrongCode(app), totp(app), totp(app)]) {
      const { headers } = await answerChallenge(app, challenge, { code });
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  claim('knows a session that can be refreshed', async (app) => {
    const challenge = await pendingChallenge(app);
    const { refresh_token } = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    const body = { grant_type: 'refresh_token', refresh_token };
    const again = tokensOf(await postJson(app, '/token', body));
    expect(decodeJwt(again.access_token)['amr']).toEqual(['pwd', 'otp']);
  });
});

inEveryCell('POST /token/challenge: the code', (claim) => {
  for (const [step, status] of [
    [-2, 400],
    [-1, 200],
    [0, 200],
    [1, 400],
  ] as const) {
    claim(`of step ${step} is answered ${status}`, async (app) => {
      const challenge = await pendingChallenge(app);
      const answer = await answerChallenge(app, challenge, { code: totp(app, step) });
      expect(answer.status).toBe(status);
    });
  }

  claim('may be an integer, whose leading zeros are lost', async (app) => {
    while (!totp(app).startsWith('0')) app.clock.advance(30_000);
    const challenge = await pendingChallenge(app);
    const code = Number(totp(app));
    expect((await answerChallenge(app, challenge, { code })).status).toBe(200);
  });

  for (const typed of [
    RECOVERY_CODE,
    RECOVERY_CODE.toLowerCase(),
    RECOVERY_CODE.replaceAll('-', ''),
  ]) {
    claim(`may be a recovery code, as ${typed}`, async (app) => {
      const challenge = await pendingChallenge(app);
      const tokens = tokensOf(await answerChallenge(app, challenge, { code: typed }));
      expect(decodeJwt(tokens.access_token)['amr']).toEqual(['pwd', 'mfa']);
    });
  }

  claim('may be a recovery code once', async (app) => {
    const first = await answerChallenge(app, await pendingChallenge(app), { code: RECOVERY_CODE });
    expect(first.status).toBe(200);
    const challenge = await pendingChallenge(app);
    const again = await answerChallenge(app, challenge, { code: RECOVERY_CODE });
    expect(errorOf(again).attempts_remaining).toBe(4);
    const other = await answerChallenge(app, challenge, { code: OTHER_RECOVERY_CODE });
    expect(other.status).toBe(200);
  });

  claim('that is malformed costs no attempt', async (app) => {
    const challenge = await pendingChallenge(app);
    const right = totp(app);
    const malformed: readonly unknown[] = [
      '12345',
      '1234567',
      '',
      ' 123456',
      '123456\n',
      `${right} `,
      '１２３４５６',
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

  claim('is taken once per user ever', async (app) => {
    const code = totp(app);
    const first = await answerChallenge(app, await pendingChallenge(app), { code });
    expect(first.status).toBe(200);
    const second = await answerChallenge(app, await pendingChallenge(app), { code });
    expect(errorOf(second)).toMatchObject({ error: 'invalid_grant', attempts_remaining: 4 });
    // The step before it would be right by the clock, and has been overtaken.
    const earlier = { code: totp(app, -1) };
    const third = await answerChallenge(app, await pendingChallenge(app), earlier);
    expect(errorOf(third).error).toBe('invalid_grant');
  });
});

inEveryCell('POST /token/challenge: malformed input', (claim) => {
  for (const [what, fields] of Object.entries<Fields>({
    'scopes that are no array': { scopes: 'user' },
    'scopes that are null': { scopes: null },
    'scopes that are no strings': { scopes: [1] },
    'scopes that repeat': { scopes: ['user', 'user'] },
    'a lifetime below the bound': { expiration_seconds: 599 },
    'a lifetime that is a string': { expiration_seconds: '600' },
  })) {
    claim(`refuses ${what}, at the cost of no attempt`, async (app) => {
      const challenge = await pendingChallenge(app);
      const answer = await answerChallenge(app, challenge, { code: wrongCode(app), ...fields });
      expect(errorOf(answer).error).toBe('invalid_request');
      const wrong = await answerChallenge(app, challenge, { code: wrongCode(app) });
      expect(errorOf(wrong).attempts_remaining).toBe(4);
    });
  }

  claim('needs a challenge that is a string', async (app) => {
    for (const challenge of [undefined, null, 1, '', ['x']]) {
      const answer = await postJson(app, '/token/challenge', { challenge, code: '123456' });
      expect(errorOf(answer).errors).toMatchObject([{ field: 'challenge' }]);
    }
  });

  claim('ignores what it does not know', async (app) => {
    const challenge = await pendingChallenge(app);
    const answer = await answerChallenge(app, challenge, { code: totp(app), account_id: 'x' });
    expect(answer.status).toBe(200);
  });

  claim('checks the scopes before the code', async (app) => {
    const challenge = await pendingChallenge(app);
    for (const scopes of [['internal'], ['root'], []]) {
      const answer = await answerChallenge(app, challenge, { code: wrongCode(app), scopes });
      expect(errorOf(answer).error).toBe('invalid_scope');
    }
    const wrong = await answerChallenge(app, challenge, { code: wrongCode(app) });
    expect(errorOf(wrong).attempts_remaining).toBe(4);
  });
});

inEveryCell('POST /token/challenge: attempts', (claim) => {
  claim('are five a challenge, and each failure tells what is left', async (app) => {
    const challenge = await pendingChallenge(app);
    const left: unknown[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const answer = await answerChallenge(app, challenge, { code: wrongCode(app) });
      left.push(errorOf(answer).attempts_remaining);
    }
    expect(left).toEqual([4, 3, 2, 1, 0]);
    await expectDead(app, challenge);
  });

  claim('may be right at the fifth', async (app) => {
    const challenge = await pendingChallenge(app);
    await guess(app, challenge, 4);
    expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
  });

  claim(
    'lock the factor at ten failures in a row over all challenges, for 15 minutes',
    async (app) => {
      const pending = await pendingChallenge(app);
      await fail(app, 10);
      const locked = await answerChallenge(app, pending, { code: totp(app) });
      expect(errorOf(locked, 429).error).toBe('too_many_requests');
      expect(locked.headers['retry-after']).toBe('900');
      app.clock.advance(899_000);
      const still = await answerChallenge(app, await pendingChallenge(app), { code: totp(app) });
      expect(still.headers['retry-after']).toBe('1');
      app.clock.advance(1000);
      const open = await answerChallenge(app, await pendingChallenge(app), { code: totp(app) });
      expect(open.status).toBe(200);
    },
  );

  claim('lock it twice as long each time, up to a day', async (app) => {
    const locks: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      await fail(app, 10);
      const challenge = await pendingChallenge(app);
      const { headers } = await answerChallenge(app, challenge, { code: totp(app) });
      const seconds = Number(headers['retry-after']);
      locks.push(seconds / 60);
      app.clock.advance(seconds * 1000);
    }
    expect(locks).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  });

  claim('are refilled by no fresh login', async (app) => {
    await fail(app, 9);
    const [ninth, tenth] = [await pendingChallenge(app), await pendingChallenge(app)];
    await guess(app, ninth, 1);
    const answer = await answerChallenge(app, tenth, { code: totp(app) });
    expect(answer.status).toBe(429);
  });

  claim('count anew after a right code', async (app) => {
    await fail(app, 9);
    const right = await answerChallenge(app, await pendingChallenge(app), { code: totp(app) });
    expect(right.status).toBe(200);
    app.clock.advance(30_000);
    await fail(app, 9);
    const again = await answerChallenge(app, await pendingChallenge(app), { code: totp(app) });
    expect(again.status).toBe(200);
  });

  claim('do not lock the password step, which is somebody else’s to guess', async (app) => {
    await fail(app, 10);
    expect((await logIn(app, 'grace')).status).toBe(401);
  });

  claim('can be given back by the host', async (app) => {
    await fail(app, 10);
    await app.auth.factors.unlock('grace');
    const challenge = await pendingChallenge(app);
    expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
  });
});

inEveryCell('POST /token/challenge: a challenge', (claim) => {
  claim('lives for 300 s', async (app) => {
    const [one, two] = [await pendingChallenge(app), await pendingChallenge(app)];
    app.clock.advance(299_000);
    expect((await answerChallenge(app, one, { code: totp(app) })).status).toBe(200);
    app.clock.advance(1000);
    await expectDead(app, two);
  });

  claim('is used once', async (app) => {
    const challenge = await pendingChallenge(app);
    expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
    app.clock.advance(30_000);
    await expectDead(app, challenge);
  });

  claim('is dead where it is unknown, and says no more', async (app) => {
    const challenge = await pendingChallenge(app);
    for (const unknown of ['x', 'lh_mc_', `${challenge}A`, challenge.replace(/.$/, '_')]) {
      await expectDead(app, unknown);
    }
    expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
  });

  claim('is no refresh token, and none is a challenge', async (app) => {
    const challenge = await pendingChallenge(app);
    const body = { grant_type: 'refresh_token', refresh_token: challenge };
    expect(errorOf(await postJson(app, '/token', body)).error).toBe('invalid_grant');
    const login = tokensOf(await logIn(app, 'ada'));
    await expectDead(app, login.refresh_token);
    await expectDead(app, login.access_token);
  });

  claim(
    'is dead where the user was disabled, lost the factor or changed the password',
    async (app) => {
      const challenge = await pendingChallenge(app);
      app.users.change('grace', { disabled: true });
      await expectDead(app, challenge);
      app.users.change('grace', { disabled: false, mfa: null });
      await expectDead(app, challenge);
      const mfa = { totpSecret: GRACE_TOTP_SECRET };
      app.users.change('grace', { mfa, passwordChangedAtMs: app.clock.nowMs() + 1 });
      await expectDead(app, challenge);
    },
  );

  claim('is denied where the account of the login is no longer the user’s', async (app) => {
    const challenge = await pendingChallenge(app, { account_id: 2 });
    app.users.change('grace', { accounts: [1] });
    const answer = await answerChallenge(app, challenge, { code: totp(app) });
    expect(errorOf(answer, 403).error).toBe('access_denied');
  });

  claim('ends with all sessions of the user', async (app) => {
    const challenge = await pendingChallenge(app);
    await app.auth.sessions.revokeAll('grace');
    await expectDead(app, challenge);
  });
});
