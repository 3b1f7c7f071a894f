import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { expectDeadChallenge } from '../support/clients/expect-dead-challenge.ts';
import {
  answerChallenge,
  challengeOf,
  errorOf,
  get,
  logIn,
  pendingChallenge,
  postForm,
  postJson,
  tokensOf,
  totp,
  wrongCode,
} from '../support/clients/token-calls.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';
import { CHALLENGE_MS, SECOND_MS } from '../support/time/policy-times.ts';

onEnginesToo('POST /token/challenge', (test) => {
  test('returns tokens for the right code', async (app) => {
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

  test('answers in the API version, and for the account, of the login request', async (app) => {
    const login = await logIn(app, 'grace', { account_id: 2 }, '?version=v1');
    const { challenge } = challengeOf(login);
    const tokens = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    expect(Object.keys(tokens)).toHaveLength(5);
    expect(decodeJwt(tokens.access_token)['account_id']).toBe(2);
  });

  test('does not grant the scopes and the lifetime of the login request', async (app) => {
    const login = { scopes: 'user,admin', expiration_seconds: 7200 };
    const challenge = await pendingChallenge(app, login);
    const tokens = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    expect(tokens).toMatchObject({ scope: 'user', expires_in: 3600 });
  });

  test('grants the scopes and the lifetime of its own request', async (app) => {
    const challenge = await pendingChallenge(app);
    const fields = { code: totp(app), scopes: ['admin', 'user'], expiration_seconds: 600 };
    const tokens = tokensOf(await answerChallenge(app, challenge, fields));
    expect(tokens).toMatchObject({ scope: 'user admin', expires_in: 600 });
  });

  test('accepts a form with comma-separated scopes', async (app) => {
    const fields = { challenge: await pendingChallenge(app), code: totp(app) };
    const response = await postForm(app, '/token/challenge', { ...fields, scopes: 'user,admin' });
    expect(tokensOf(response).scope).toBe('user admin');
  });

  test('accepts scope instead of scopes, as in RFC 6749, but not both', async (app) => {
    const challenge = await pendingChallenge(app);
    const both = { code: totp(app), scope: 'user admin', scopes: ['user'] };
    expect(errorOf(await answerChallenge(app, challenge, both)).error).toBe('invalid_request');
    const one = { code: totp(app), scope: 'user admin' };
    expect(tokensOf(await answerChallenge(app, challenge, one)).scope).toBe('user admin');
  });

  test('starts a session that can be refreshed', async (app) => {
    const challenge = await pendingChallenge(app);
    const { refresh_token } = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
    const body = { grant_type: 'refresh_token', refresh_token };
    const again = tokensOf(await postJson(app, '/token', body));
    expect(decodeJwt(again.access_token)['amr']).toEqual(['pwd', 'otp']);
  });
});

onEnginesToo('input validation of POST /token/challenge', (test) => {
  test('uses up no attempt if a field has the wrong type or is out of bounds', async (app) => {
    const challenge = await pendingChallenge(app);
    for (const fields of [
      { scopes: 'user' },
      { scopes: null },
      { scopes: [1] },
      { scopes: ['user', 'user'] },
      { expiration_seconds: 599 },
      { expiration_seconds: '600' },
    ]) {
      const response = await answerChallenge(app, challenge, { code: wrongCode(app), ...fields });
      expect(errorOf(response).error).toBe('invalid_request');
    }
    const wrong = await answerChallenge(app, challenge, { code: wrongCode(app) });
    expect(errorOf(wrong).attempts_remaining).toBe(4);
  });

  test('rejects a challenge that is not a string', async (app) => {
    for (const challenge of [undefined, null, 1, '', ['x']]) {
      const response = await postJson(app, '/token/challenge', { challenge, code: '123456' });
      expect(errorOf(response).errors).toMatchObject([{ field: 'challenge' }]);
    }
  });

  test('names one of thousands of scopes that are not strings', async (app) => {
    const scopes = Array<number>(5_000).fill(1);
    const response = await postJson(app, '/token/challenge', { challenge: 'x', code: '1', scopes });
    expect(errorOf(response).errors?.map(({ field }) => field)).toEqual(['scopes.0']);
  });

  test('rejects invalid scopes with invalid_scope, even if the code is wrong, without using up an attempt', async (app) => {
    const challenge = await pendingChallenge(app);
    for (const scopes of [['internal'], ['root'], []]) {
      const response = await answerChallenge(app, challenge, { code: wrongCode(app), scopes });
      expect(errorOf(response).error).toBe('invalid_scope');
    }
    const wrong = await answerChallenge(app, challenge, { code: wrongCode(app) });
    expect(errorOf(wrong).attempts_remaining).toBe(4);
  });
});

onEnginesToo('a challenge at POST /token/challenge', (test) => {
  test('expires after 300 s', async (app) => {
    const [one, two] = [await pendingChallenge(app), await pendingChallenge(app)];
    app.clock.advance(CHALLENGE_MS - SECOND_MS);
    expect((await answerChallenge(app, one, { code: totp(app) })).status).toBe(200);
    app.clock.advance(SECOND_MS);
    await expectDeadChallenge(app, two);
  });

  test('is rejected if it is unknown, with the generic error', async (app) => {
    const challenge = await pendingChallenge(app);
    for (const unknown of ['x', 'lh_mc_', `${challenge}A`, challenge.replace(/.$/, '_')]) {
      await expectDeadChallenge(app, unknown);
    }
    expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
  });
});
