import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { expect } from 'vitest';
import { signingKey, type TestApp } from '../support/apps/test-app.ts';
import { expectRejectedToken } from '../support/clients/expect-rejected.ts';
import { get, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const privateKey = createPrivateKey(signingKey);
const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** A token of Latchhook's form, with changes. */
async function forge(
  app: TestApp,
  {
    deliveries = {},
    header = {},
    without = [],
    key = privateKey,
  }: {
    readonly deliveries?: JWTPayload;
    readonly header?: Readonly<Record<string, unknown>>;
    readonly without?: readonly string[];
    readonly key?: Parameters<SignJWT['sign']>[0];
  },
): Promise<string> {
  const { access_token } = await session(app);
  const payload: JWTPayload = { ...decodeJwt(access_token), ...deliveries };
  for (const name of without) delete payload[name];
  const ours = decodeProtectedHeader(access_token);
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', ...ours, ...header })
    .sign(key, { crit: { b64: true, 'x-ours': true } });
}

function segment(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

inEveryCell('a forged token', (test) => {
  test('is accepted if nothing is changed, as a control', async (app) => {
    expect((await get(app, '/me', await forge(app, {}))).status).toBe(200);
  });

  for (const name of ['iss', 'aud', 'sub', 'exp', 'iat', 'jti', 'client_id', 'scope', 'sid']) {
    test(`is rejected without ${name}`, async (app) => {
      await expectRejectedToken(app, await forge(app, { without: [name] }));
    });
  }

  for (const [what, deliveries] of Object.entries<JWTPayload>({
    'a foreign issuer': { iss: 'https://evil.example' },
    'a foreign audience': { aud: 'https://evil.example' },
    'an issue date in the future': { iat: 9_999_999_999 },
    'an nbf in the future': { nbf: 9_999_999_999 },
    'an exp in the past': { exp: 1 },
    'accounts that are not a list': { accounts: 'all' },
    'a scope that is not a string': { scope: ['user'] },
  })) {
    test(`is rejected with ${what}`, async (app) => {
      await expectRejectedToken(app, await forge(app, { deliveries }));
    });
  }

  for (const [what, header] of Object.entries<Readonly<Record<string, unknown>>>({
    'another type': { typ: 'JWT' },
    'no type': { typ: undefined },
    'no key id': { kid: undefined },
    'a key id that is a path': { kid: '../../dev/null' },
    'a key id of 4 KB': { kid: 'k'.repeat(4096) },
    'an embedded jwk': { jwk: createPublicKey(foreignKey).export({ format: 'jwk' }) },
    'a jku': { jku: 'http://127.0.0.1:1/jwks.json' },
    'an x5u': { x5u: 'http://127.0.0.1:1/cert.pem' },
    'an embedded x5c': { x5c: ['MIIB'] },
    'a critical header': { crit: ['x-ours'], 'x-ours': 1 },
  })) {
    test(`is rejected with ${what}`, async (app) => {
      await expectRejectedToken(app, await forge(app, { header }));
    });
  }

  test('is rejected without a signature', async (app) => {
    const { access_token } = await session(app);
    const [head = '', body = ''] = access_token.split('.');
    const none = segment({ ...decodeProtectedHeader(access_token), alg: 'none' });
    for (const token of [`${none}.${body}.`, `${head}.${body}.`, `${head}.${body}`]) {
      await expectRejectedToken(app, token);
    }
  });

  test('is rejected with the signature of a foreign key', async (app) => {
    await expectRejectedToken(app, await forge(app, { key: foreignKey }));
  });

  test('is rejected with an HS256 MAC under the public key', async (app) => {
    const key = new TextEncoder().encode(publicPem);
    const token = await forge(app, { header: { alg: 'HS256' }, key });
    await expectRejectedToken(app, token);
  });

  test('is rejected with any character changed', async (app) => {
    const { access_token } = await session(app);
    for (let index = 0; index < access_token.length; index += 13) {
      const other = access_token[index] === 'A' ? 'B' : 'A';
      const token = access_token.slice(0, index) + other + access_token.slice(index + 1);
      await expectRejectedToken(app, token);
    }
  });
});
