import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { expect, onTestFinished } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import { signingKey, type TestApp } from '../support/apps/test-app.ts';
import { errorOf, get, pendingChallenge, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';

const privateKey = createPrivateKey(signingKey);
const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const BAD_TOKEN =
  'Bearer error="invalid_token", error_description="The access token is malformed, expired, revoked or not valid here."';

function withHeader(app: TestApp, ...authorization: readonly string[]): Promise<Answer> {
  const headers = authorization.flatMap((value) => ['authorization', value]);
  return app.send({ method: 'GET', path: '/me', headers });
}

function expectRefused(answer: Answer, challenge: string): void {
  expect(errorOf(answer, 401).error).toBe('invalid_token');
  expect(answer.headers['www-authenticate']).toBe(challenge);
  expect(answer.headers['cache-control']).toBe('no-store');
}

inEveryCell('a bearer token', (claim) => {
  claim('opens the host’s own route, which gets its claims', async (app) => {
    const { access_token } = await session(app, 'ada', { account_id: 2 });
    const answer = await get(app, '/me', access_token);
    expect(JSON.parse(answer.body)).toMatchObject({
      userId: 'ada',
      scopes: ['user'],
      accounts: [1, 2],
      accountId: 2,
      clientId: 'first-party',
      amr: ['pwd'],
      expiresAtMs: Math.floor(app.clock.nowMs() / 1000) * 1000 + 3600_000,
    });
  });

  claim('is asked for without an error code if none came', async (app) => {
    expectRefused(await withHeader(app), 'Bearer');
    expectRefused(await withHeader(app, 'Basic YTpi'), 'Bearer');
    expectRefused(await withHeader(app, 'Bearerish x'), 'Bearer');
  });

  claim('is read whatever the case of the scheme', async (app) => {
    const { access_token } = await session(app);
    expect((await withHeader(app, `bEARER  ${access_token}`)).status).toBe(200);
  });

  claim('is refused if the header is malformed', async (app) => {
    const { access_token } = await session(app);
    for (const header of [
      'Bearer',
      'Bearer ',
      'Bearer a b',
      `Bearer ${access_token} x`,
      `Bearer ${access_token},`,
      `Bearer ${'a'.repeat(9000)}`,
      'Bearer \xe9\xff',
      `Bearer "${access_token}"`,
    ]) {
      expectRefused(await withHeader(app, header), BAD_TOKEN);
    }
  });

  claim('is refused if two headers came, whichever is right', async (app) => {
    const { access_token } = await session(app);
    const right = `Bearer ${access_token}`;
    expectRefused(await withHeader(app, right, 'Bearer x'), BAD_TOKEN);
    expectRefused(await withHeader(app, 'Bearer x', right), BAD_TOKEN);
    expectRefused(await withHeader(app, right, right), BAD_TOKEN);
  });

  claim('is ignored in the query', async (app) => {
    const { access_token } = await session(app);
    const answer = await get(app, `/me?access_token=${access_token}`);
    expectRefused(answer, 'Bearer');
  });

  claim('is good until the second that it names, not longer', async (app) => {
    const { access_token, expires_in } = await session(app, 'ada', { expiration_seconds: 600 });
    const { exp = 0 } = decodeJwt(access_token);
    expect(exp * 1000 - app.clock.nowMs()).toBeLessThanOrEqual(expires_in * 1000);
    app.clock.advance(exp * 1000 - app.clock.nowMs() - 1);
    expect((await get(app, '/me', access_token)).status).toBe(200);
    app.clock.advance(1);
    expectRefused(await get(app, '/me', access_token), BAD_TOKEN);
  });

  claim(
    'is not a refresh token, a challenge, or a look-alike of a personal access token',
    async (app) => {
      const { refresh_token } = await session(app);
      const challenge = await pendingChallenge(app);
      for (const token of [refresh_token, challenge, `lh_pat_${'0'.repeat(36)}`]) {
        expectRefused(await get(app, '/me', token), BAD_TOKEN);
      }
    },
  );

  claim('is forbidden without the scope, which the answer names', async (app) => {
    const { access_token } = await session(app);
    const answer = await get(app, '/admin', access_token);
    expect(errorOf(answer, 403).error).toBe('insufficient_scope');
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="admin"',
    );
  });

  claim('is forbidden for an account that is not the user’s', async (app) => {
    const { access_token } = await session(app);
    for (const account of ['3', 'x', '-1', '1.5', 'NaN', '%31%30']) {
      const answer = await get(app, `/accounts/${account}`, access_token);
      expect(errorOf(answer, 403).error).toBe('access_denied');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer error="insufficient_scope"/);
    }
  });
});

/** A token like ours, with changes. */
async function forge(
  app: TestApp,
  {
    claims = {},
    header = {},
    without = [],
    key = privateKey,
  }: {
    readonly claims?: JWTPayload;
    readonly header?: Readonly<Record<string, unknown>>;
    readonly without?: readonly string[];
    readonly key?: Parameters<SignJWT['sign']>[0];
  },
): Promise<string> {
  const { access_token } = await session(app);
  const payload: JWTPayload = { ...decodeJwt(access_token), ...claims };
  for (const name of without) delete payload[name];
  const ours = decodeProtectedHeader(access_token);
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', ...ours, ...header })
    .sign(key, { crit: { b64: true, 'x-ours': true } });
}

function segment(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

inEveryCell('a forged token', (claim) => {
  claim('is accepted without a change, so that the refusals mean something', async (app) => {
    expect((await get(app, '/me', await forge(app, {}))).status).toBe(200);
  });

  for (const name of ['iss', 'aud', 'sub', 'exp', 'iat', 'jti', 'client_id', 'scope', 'sid']) {
    claim(`is refused without ${name}`, async (app) => {
      expectRefused(await get(app, '/me', await forge(app, { without: [name] })), BAD_TOKEN);
    });
  }

  for (const [what, claims] of Object.entries<JWTPayload>({
    'a foreign issuer': { iss: 'https://evil.example' },
    'a foreign audience': { aud: 'https://evil.example' },
    'an issue date in the future': { iat: 9_999_999_999 },
    'a beginning in the future': { nbf: 9_999_999_999 },
    'an end in the past': { exp: 1 },
    'accounts that are none': { accounts: 'all' },
    'a scope that is none': { scope: ['user'] },
  })) {
    claim(`is refused with ${what}`, async (app) => {
      expectRefused(await get(app, '/me', await forge(app, { claims })), BAD_TOKEN);
    });
  }

  for (const [what, header] of Object.entries<Readonly<Record<string, unknown>>>({
    'another type': { typ: 'JWT' },
    'no type': { typ: undefined },
    'no key id': { kid: undefined },
    'a key id that is a path': { kid: '../../dev/null' },
    'a key id of 4 KB': { kid: 'k'.repeat(4096) },
    'a key of its own': { jwk: createPublicKey(foreignKey).export({ format: 'jwk' }) },
    'an address of keys': { jku: 'http://127.0.0.1:1/jwks.json' },
    'an address of certificates': { x5u: 'http://127.0.0.1:1/cert.pem' },
    'certificates of its own': { x5c: ['MIIB'] },
    'a critical header': { crit: ['x-ours'], 'x-ours': 1 },
  })) {
    claim(`is refused with ${what}`, async (app) => {
      expectRefused(await get(app, '/me', await forge(app, { header })), BAD_TOKEN);
    });
  }

  claim('is refused without a signature', async (app) => {
    const { access_token } = await session(app);
    const [head = '', body = ''] = access_token.split('.');
    const none = segment({ ...decodeProtectedHeader(access_token), alg: 'none' });
    for (const token of [`${none}.${body}.`, `${head}.${body}.`, `${head}.${body}`]) {
      expectRefused(await get(app, '/me', token), BAD_TOKEN);
    }
  });

  claim('is refused if somebody else signed it', async (app) => {
    expectRefused(await get(app, '/me', await forge(app, { key: foreignKey })), BAD_TOKEN);
  });

  claim('is refused if its MAC is under our public key', async (app) => {
    const key = new TextEncoder().encode(publicPem);
    const token = await forge(app, { header: { alg: 'HS256' }, key });
    expectRefused(await get(app, '/me', token), BAD_TOKEN);
  });

  claim('is refused with any character changed', async (app) => {
    const { access_token } = await session(app);
    for (let index = 0; index < access_token.length; index += 13) {
      const other = access_token[index] === 'A' ? 'B' : 'A';
      const token = access_token.slice(0, index) + other + access_token.slice(index + 1);
      expectRefused(await get(app, '/me', token), BAD_TOKEN);
    }
  });
});

const storage = storageSwitch();

inEveryCell(
  'a bearer token while the storage is down',
  (claim) => {
    claim(
      'is accepted with scope user, and answered 503 if its session must be looked up',
      async (app) => {
        const user = await session(app);
        const admin = await session(app, 'ada', { scopes: 'user,admin' });
        storage.mode = 'down';
        onTestFinished(() => {
          storage.mode = 'up';
        });
        expect((await get(app, '/me', user.access_token)).status).toBe(200);
        const checked = [
          await get(app, '/me', admin.access_token),
          await get(app, '/checked', user.access_token),
        ];
        for (const answer of checked) {
          expect(errorOf(answer, 503).error).toBe('temporarily_unavailable');
          expect(answer.headers['retry-after']).toBe('1');
        }
        storage.mode = 'up';
        expect((await get(app, '/me', admin.access_token)).status).toBe(200);
      },
    );
  },
  { wrapStorage: storage.wrap },
);
