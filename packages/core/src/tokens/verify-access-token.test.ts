import { createHmac, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSigningKey } from '../keys/signing-key.ts';
import { ACCESS_TOKEN_MAX_LENGTH } from './access-token.ts';
import {
  expected,
  forge,
  goodClaims,
  goodHeader,
  identity,
  kid,
  NOW_SECONDS,
  privateKey,
  signingInput,
} from './access-token-fixture.test.support.ts';
import { REQUIRED_CLAIMS, verifyAccessToken } from './verify-access-token.ts';

function without(claims: Readonly<Record<string, unknown>>, name: string): object {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));
}

describe('verifyAccessToken', () => {
  it('accepts a valid token that is signed by hand', async () => {
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
    ['an embedded jwk', forge({ ...goodHeader, jwk }, goodClaims, attacker), 'foreign_header'],
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
    ['a kid that is not a string', forge({ ...goodHeader, kid: 1 }, goodClaims), 'foreign_header'],
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
    [
      'a foreign key and a foreign issuer',
      forge({ ...goodHeader, kid: 'k' }, { ...goodClaims, iss: 'https://x.test' }, attacker),
      'foreign_key',
    ],
    [
      'a foreign key and another type',
      forge({ ...goodHeader, kid: 'k', typ: 'JWT' }, goodClaims, attacker),
      'foreign_key',
    ],
    [
      'a foreign key and claims that are not JSON',
      forge({ ...goodHeader, kid: 'k' }, goodClaims, attacker).replace(/\.[^.]+\./, '.bm8.'),
      'foreign_key',
    ],
    ['our kid on a foreign signature', forge(goodHeader, goodClaims, attacker), 'bad_signature'],
    ['typ JWT', forge({ ...goodHeader, typ: 'JWT' }, goodClaims), 'wrong_type'],
    ['no typ', forge({ alg: 'ES256', kid }, goodClaims), 'wrong_type'],
    ['claims that are no object', forge(goodHeader, [goodClaims]), 'bad_claims'],
    [
      'a header that is no JSON',
      forge(goodHeader, goodClaims).replace(/^[^.]+/, 'bm8'),
      'foreign_header',
    ],
    [
      'more than the maximum length',
      forge(goodHeader, { ...goodClaims, x: 'x'.repeat(9000) }),
      'malformed',
    ],
    ['the form of a personal access token', 'lh_pat_0123456789', 'malformed'],
    ['four parts', `${forge(goodHeader, goodClaims)}.x`, 'malformed'],
    ['characters beyond ASCII', forge(goodHeader, goodClaims).replace('.', '.é'), 'malformed'],
    ['no characters', '', 'malformed'],
  ])('rejects a token with %s', async (_, token, reason) => {
    expect(await verifyAccessToken(token, expected)).toEqual({ outcome: 'invalid', reason });
  });

  function hmacForged(): string {
    const input = signingInput({ ...goodHeader, alg: 'HS256' }, goodClaims);
    return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
  }

  it.each([...REQUIRED_CLAIMS])('rejects a token without %s', async (claim) => {
    const token = forge(goodHeader, without(goodClaims, claim));
    expect(await verifyAccessToken(token, expected)).toEqual({
      outcome: 'invalid',
      reason: 'bad_claims',
    });
  });

  it.each<[string, unknown]>([
    ['sub', ''],
    ['sub', 7],
    ['exp', String(NOW_SECONDS + 600)],
    ['exp', 1e300],
    ['iat', '0'],
    ['iat', null],
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
  ])('rejects a token whose %s is %j', async (claim, value) => {
    const token = forge(goodHeader, { ...goodClaims, [claim]: value });
    expect(await verifyAccessToken(token, expected)).toEqual({
      outcome: 'invalid',
      reason: 'bad_claims',
    });
  });

  it.each<[string, unknown, string]>([
    ['iss', 'https://elsewhere.example.com', 'wrong_issuer'],
    ['iss', [identity.issuer], 'wrong_issuer'],
    ['aud', 'https://elsewhere.example.com', 'wrong_audience'],
    ['aud', [], 'wrong_audience'],
    ['nbf', NOW_SECONDS + 6, 'not_yet_valid'],
  ])('rejects a token whose %s is %j with the reason %s', async (claim, value, reason) => {
    const token = forge(goodHeader, { ...goodClaims, [claim]: value });
    expect(await verifyAccessToken(token, expected)).toEqual({ outcome: 'invalid', reason });
  });

  it('leaves out unknown scopes', async () => {
    const token = forge(goodHeader, { ...goodClaims, scope: 'root admin user' });
    expect(await verifyAccessToken(token, expected)).toMatchObject({
      info: { scopes: ['user', 'admin'] },
    });
  });

  it('rejects an expired token, but accepts an iat and nbf that are five seconds ahead', async () => {
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
        const outcome = await verifyAccessToken(token, expected);
        return outcome.outcome === 'valid' ? 'valid' : outcome.reason;
      }),
    );
    expect(reasons).toEqual(['valid', 'expired', 'expired', 'valid', 'not_yet_valid', 'valid']);
  });

  it('applies the configured tolerances to exp, iat and nbf', async () => {
    const tolerance = { expirySeconds: 60, startSeconds: 60 };
    const reasons = await Promise.all(
      [
        { exp: NOW_SECONDS - 59 },
        { exp: NOW_SECONDS - 60 },
        { iat: NOW_SECONDS + 60 },
        { iat: NOW_SECONDS + 61 },
        { nbf: NOW_SECONDS + 60 },
        { nbf: NOW_SECONDS + 61 },
      ].map(async (times) => {
        const token = forge(goodHeader, { ...goodClaims, ...times });
        const outcome = await verifyAccessToken(token, { ...expected, tolerance });
        return outcome.outcome === 'valid' ? 'valid' : outcome.reason;
      }),
    );
    expect(reasons).toEqual([
      'valid',
      'expired',
      'valid',
      'not_yet_valid',
      'valid',
      'not_yet_valid',
    ]);
  });

  it('rejects a token with any character changed', async () => {
    const token = forge(goodHeader, goodClaims);
    const accepted: number[] = [];
    for (let index = 0; index < token.length; index++) {
      // A letter of base64url, one of base64 alone, and the separator of the parts.
      for (const replacement of [token[index] === 'A' ? 'B' : 'A', '+', '.']) {
        const changed = token.slice(0, index) + replacement + token.slice(index + 1);
        if (changed === token) continue;
        const outcome = await verifyAccessToken(changed, expected);
        if (outcome.outcome === 'valid') accepted.push(index);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('rejects a signature in another base64url spelling of the same bytes', async () => {
    const token = forge(goodHeader, goodClaims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.at(-1) ?? '');
    const sameBytes = token.slice(0, -1) + alphabet[last + 1];
    const signature = (jws: string) => Buffer.from(jws.split('.')[2] ?? '', 'base64url');
    expect(signature(sameBytes)).toEqual(signature(token));
    expect(await verifyAccessToken(sameBytes, expected)).toMatchObject({ outcome: 'invalid' });
  });

  it('returns frozen info', async () => {
    const outcome = await verifyAccessToken(forge(goodHeader, goodClaims), expected);
    if (outcome.outcome !== 'valid') throw new Error('the token should be valid');
    const { info } = outcome;
    for (const part of [info, info.scopes, info.accounts, info.amr]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('accepts a token of the maximum length', async () => {
    const base = forge(goodHeader, { ...goodClaims, x: '' }).length;
    const padding = 'x'.repeat(Math.floor(((ACCESS_TOKEN_MAX_LENGTH - base) * 3) / 4) - 2);
    const token = forge(goodHeader, { ...goodClaims, x: padding });
    expect(token.length).toBeGreaterThan(ACCESS_TOKEN_MAX_LENGTH - 8);
    expect(await verifyAccessToken(token, expected)).toMatchObject({ outcome: 'valid' });
  });
});
