import { createHmac, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSigningKey, type SigningAlgorithm } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { ACCESS_TOKEN_MAX_LENGTH } from './access-token.ts';
import { REQUIRED_CLAIMS } from './access-token-claims.ts';
import { type AccessTokenSubject, createIssueAccessToken } from './issue-access-token.ts';
import { verifyAccessToken } from './verify-access-token.ts';

const NOW_MS = Date.UTC(2027, 0, 1);
const NOW_SECONDS = NOW_MS / 1000;
const clock = { nowMs: () => NOW_MS };

const identity = {
  issuer: 'https://api.example.com',
  audience: 'https://api.example.com',
  clientId: 'latchhook',
};
const subject: AccessTokenSubject = {
  userId: 'user-1',
  sessionId: 'session-1',
  scopes: ['user', 'admin'],
  accounts: [1, 2],
  accountId: 2,
  authTimeMs: NOW_MS - 60_000,
  amr: ['pwd', 'otp'],
};

const privateKey = generateSigningKey();
const keys = createSigningKeys([privateKey], clock);
const { kid } = keys.signingKey();
const expected = { ...identity, keys, clock };

/** Claims of a token that is ours in every respect. */
const goodClaims = {
  iss: identity.issuer,
  aud: identity.audience,
  sub: 'user-1',
  exp: NOW_SECONDS + 600,
  iat: NOW_SECONDS,
  jti: 'token-1',
  client_id: 'latchhook',
  scope: 'user',
  sid: 'session-1',
  accounts: [1],
  auth_time: NOW_SECONDS,
  amr: ['pwd'],
};
const goodHeader = { alg: 'ES256', kid, typ: 'at+jwt' };

function signingInput(header: object, claims: object): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
}

/** Signs whatever it is given, by hand, so that nothing stands between a test and a bad token. */
function forge(header: object, claims: object, key: KeyObject = privateKey): string {
  const input = signingInput(header, claims);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function without(claims: Readonly<Record<string, unknown>>, name: string): object {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));
}

describe('an access token', () => {
  it.each<SigningAlgorithm>(['ES256', 'EdDSA', 'RS256'])(
    'signed with %s says when it is verified what went in',
    async (alg) => {
      const ring = createSigningKeys([generateSigningKey(alg)], clock);
      const issue = createIssueAccessToken(ring, identity);
      const token = issue(subject, { nowMs: NOW_MS, lifetimeSeconds: 3600 });
      expect(await verifyAccessToken(token, { ...expected, keys: ring })).toEqual({
        outcome: 'valid',
        kid: ring.signingKey().kid,
        info: {
          credential: 'access_token',
          ...subject,
          clientId: 'latchhook',
          tokenId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          issuedAtMs: NOW_MS,
          expiresAtMs: NOW_MS + 3_600_000,
        },
      });
    },
  );

  it('has a name of its own, and leaves account_id out where none is bound', async () => {
    const issue = createIssueAccessToken(keys, identity);
    const life = { nowMs: NOW_MS, lifetimeSeconds: 600 };
    const tokens = [issue({ ...subject, accountId: null }, life), issue(subject, life)];
    const [unbound = '', bound = ''] = tokens;
    const claims = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims(unbound)).not.toHaveProperty('account_id');
    expect(claims(unbound).jti).not.toBe(claims(bound).jti);
  });

  it('is not issued where it would be too long to be accepted', () => {
    const accounts = Array.from({ length: 2000 }, (_, index) => 10_000 + index);
    const issue = createIssueAccessToken(keys, identity);
    expect(() => issue({ ...subject, accounts }, { nowMs: NOW_MS, lifetimeSeconds: 600 })).toThrow(
      'the user has 2000 accounts',
    );
  });
});

describe('verifyAccessToken', () => {
  it('takes what we sign by hand, so that every refusal below has one cause', async () => {
    expect(await verifyAccessToken(forge(goodHeader, goodClaims), expected)).toMatchObject({
      outcome: 'valid',
    });
  });

  const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
  const jwk = createPublicKey(generateSigningKey()).export({ format: 'jwk' });
  const attacker = generateSigningKey();

  it.each<[string, string, string]>([
    [
      'the algorithm none',
      `${signingInput({ ...goodHeader, alg: 'none' }, goodClaims)}.`,
      'malformed',
    ],
    [
      'the algorithm none with a signature',
      forge({ ...goodHeader, alg: 'none' }, goodClaims),
      'foreign_header',
    ],
    ['HS256 with the public PEM as the secret', hmacForged(), 'foreign_header'],
    ['another algorithm', forge({ ...goodHeader, alg: 'ES384' }, goodClaims), 'foreign_header'],
    [
      'a key of its own in jwk',
      forge({ ...goodHeader, jwk }, goodClaims, attacker),
      'foreign_header',
    ],
    ['jku', forge({ ...goodHeader, jku: 'https://x.test/' }, goodClaims), 'foreign_header'],
    ['x5u', forge({ ...goodHeader, x5u: 'https://x.test/' }, goodClaims), 'foreign_header'],
    ['x5c', forge({ ...goodHeader, x5c: ['AAAA'] }, goodClaims), 'foreign_header'],
    ['crit', forge({ ...goodHeader, crit: ['exp'] }, goodClaims), 'foreign_header'],
    [
      'b64: false',
      forge({ ...goodHeader, b64: false, crit: ['b64'] }, goodClaims),
      'foreign_header',
    ],
    [
      'b64 that is not critical',
      forge({ ...goodHeader, b64: false }, goodClaims),
      'foreign_header',
    ],
    ['no kid', forge({ alg: 'ES256', typ: 'at+jwt' }, goodClaims), 'foreign_header'],
    ['a kid that is no string', forge({ ...goodHeader, kid: 1 }, goodClaims), 'foreign_header'],
    [
      'a path as kid',
      forge({ ...goodHeader, kid: '../../dev/null' }, goodClaims, attacker),
      'unknown_key',
    ],
    [
      'a kid of 4 KB',
      forge({ ...goodHeader, kid: 'k'.repeat(4096) }, goodClaims, attacker),
      'unknown_key',
    ],
    ['our kid on a foreign signature', forge(goodHeader, goodClaims, attacker), 'bad_signature'],
    ['typ JWT', forge({ ...goodHeader, typ: 'JWT' }, goodClaims), 'bad_claims'],
    ['no typ', forge({ alg: 'ES256', kid }, goodClaims), 'bad_claims'],
    ['claims that are no object', forge(goodHeader, [goodClaims]), 'bad_claims'],
    [
      'a header that is no JSON',
      forge(goodHeader, goodClaims).replace(/^[^.]+/, 'bm8'),
      'foreign_header',
    ],
    ['too long', forge(goodHeader, { ...goodClaims, x: 'x'.repeat(9000) }), 'malformed'],
    ['no JWS', 'lh_pat_0123456789', 'malformed'],
    ['a part too many', `${forge(goodHeader, goodClaims)}.x`, 'malformed'],
    ['characters beyond ASCII', forge(goodHeader, goodClaims).replace('.', '.é'), 'malformed'],
    ['empty', '', 'malformed'],
  ])('refuses a token with %s', async (_, token, reason) => {
    expect(await verifyAccessToken(token, expected)).toEqual({ outcome: 'invalid', reason });
  });

  function hmacForged(): string {
    const input = signingInput({ ...goodHeader, alg: 'HS256' }, goodClaims);
    return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
  }

  it.each([...REQUIRED_CLAIMS])('refuses a token without %s', async (claim) => {
    const token = forge(goodHeader, without(goodClaims, claim));
    expect(await verifyAccessToken(token, expected)).toEqual({
      outcome: 'invalid',
      reason: 'bad_claims',
    });
  });

  it.each<[string, unknown]>([
    ['iss', 'https://elsewhere.example.com'],
    ['iss', [identity.issuer]],
    ['aud', 'https://elsewhere.example.com'],
    ['aud', []],
    ['sub', ''],
    ['sub', 7],
    ['exp', String(NOW_SECONDS + 600)],
    ['exp', 1e300],
    ['iat', '0'],
    ['iat', null],
    ['nbf', NOW_SECONDS + 6],
    ['nbf', 'now'],
    ['jti', {}],
    ['client_id', null],
    ['scope', ['user']],
    ['scope', ''],
    ['scope', 'User'],
    ['scope', 'superuser'],
    ['sid', 0],
    ['accounts', '1'],
    ['accounts', ['1']],
    ['accounts', [1.5]],
    ['accounts', { length: 1, 0: 1 }],
    ['account_id', '1'],
    ['account_id', null],
    ['auth_time', 'x'],
    ['amr', 'pwd'],
    ['amr', [1]],
  ])('refuses a token whose %s is %j', async (claim, value) => {
    const token = forge(goodHeader, { ...goodClaims, [claim]: value });
    expect(await verifyAccessToken(token, expected)).toEqual({
      outcome: 'invalid',
      reason: 'bad_claims',
    });
  });

  it('leaves out a scope that it does not know', async () => {
    const token = forge(goodHeader, { ...goodClaims, scope: 'root admin user' });
    expect(await verifyAccessToken(token, expected)).toMatchObject({
      info: { scopes: ['user', 'admin'] },
    });
  });

  it('is exact about expiry and forgives five seconds of a clock that is ahead', async () => {
    const reasons = await Promise.all(
      [
        { exp: NOW_SECONDS + 1 },
        { exp: NOW_SECONDS },
        { exp: NOW_SECONDS - 600 },
        { iat: NOW_SECONDS + 5 },
        { iat: NOW_SECONDS + 6 },
        { nbf: NOW_SECONDS + 5 },
      ].map(async (times) => {
        const token = forge(goodHeader, { ...goodClaims, ...times });
        const verified = await verifyAccessToken(token, expected);
        return verified.outcome === 'valid' ? 'valid' : verified.reason;
      }),
    );
    expect(reasons).toEqual(['valid', 'expired', 'expired', 'valid', 'not_yet_valid', 'valid']);
  });

  it('refuses a token that was changed in any character', async () => {
    const token = forge(goodHeader, goodClaims);
    const accepted: number[] = [];
    for (let index = 0; index < token.length; index++) {
      // Its neighbour in the alphabet: in the last character, that changes a bit which decoders do not read.
      const other = token[index] === 'A' ? 'B' : 'A';
      for (const replacement of [other, '+', '.']) {
        const changed = token.slice(0, index) + replacement + token.slice(index + 1);
        if (changed === token) continue;
        const verified = await verifyAccessToken(changed, expected);
        if (verified.outcome === 'valid') accepted.push(index);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('refuses the other spellings of a signature', async () => {
    const token = forge(goodHeader, goodClaims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.at(-1) ?? '');
    const sameBytes = token.slice(0, -1) + alphabet[last + 1];
    const signature = (jws: string) => Buffer.from(jws.split('.')[2] ?? '', 'base64url');
    expect(signature(sameBytes)).toEqual(signature(token));
    expect(await verifyAccessToken(sameBytes, expected)).toMatchObject({ outcome: 'invalid' });
  });

  it('hands out what no request can change for the next', async () => {
    const verified = await verifyAccessToken(forge(goodHeader, goodClaims), expected);
    if (verified.outcome !== 'valid') throw new Error('the token should be valid');
    const { info } = verified;
    for (const part of [info, info.scopes, info.accounts, info.amr]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('keeps a token of the longest length', async () => {
    const base = forge(goodHeader, { ...goodClaims, x: '' }).length;
    const padding = 'x'.repeat(Math.floor(((ACCESS_TOKEN_MAX_LENGTH - base) * 3) / 4) - 2);
    const token = forge(goodHeader, { ...goodClaims, x: padding });
    expect(token.length).toBeGreaterThan(ACCESS_TOKEN_MAX_LENGTH - 8);
    expect(await verifyAccessToken(token, expected)).toMatchObject({ outcome: 'valid' });
  });
});
