import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { generateSigningKey, readSigningKey, type SigningAlgorithm } from '../keys/signing-key.ts';
import { signCompactJws } from './issue-access-token.ts';

const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'EdDSA', 'RS256'];

describe.each(ALGORITHMS)('a compact JWS by %s', (alg) => {
  const key = readSigningKey(generateSigningKey(alg));

  it('is verified by jose with the same claims', async () => {
    const claims = { sub: 'jörg\u0000"\\', exp: 4_102_444_800, accounts: [1, 2], amr: ['pwd'] };
    const token = signCompactJws(claims, key);
    const { payload, protectedHeader } = await jwtVerify(token, key.publicKey, {
      algorithms: [alg],
    });
    expect(payload).toEqual(claims);
    expect(protectedHeader).toEqual({ alg, kid: key.kid, typ: 'at+jwt' });
  });

  it('is rejected by jose if its payload is changed', async () => {
    const token = signCompactJws({ sub: 'ada' }, key);
    const [header, , signature] = token.split('.');
    const otherPayload = Buffer.from('{"sub":"eve"}').toString('base64url');
    const changed = `${header}.${otherPayload}.${signature}`;
    await expect(jwtVerify(changed, key.publicKey)).rejects.toThrow('signature');
  });
});
