import argon2 from 'argon2';
import { describe, expect, it } from 'vitest';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import type { Argon2Work } from './argon2-phc.ts';
import { createHashLimiter } from './hash-limiter.ts';
import {
  ADDRESS,
  block,
  countingVerifier,
  hashOf,
  oldScheme,
  PASSWORD,
  userWith,
} from './password-fixture.test.support.ts';
import { createPasswordVerifier } from './password-verifier.ts';

describe('the concurrency limit', () => {
  it('applies to logins, to schemes and to new hashes', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 0 });
    const verifier = createPasswordVerifier(resolvePasswords({ schemes: [oldScheme()] }), {
      limiter,
    });
    const unblock = block(limiter);
    const shed = { outcome: 'shed', reason: 'queue_full' };
    expect(await verifier.verify(null, PASSWORD, ADDRESS)).toEqual(shed);
    expect(await verifier.verify(userWith('old:x'), PASSWORD, ADDRESS)).toEqual(shed);
    expect(await verifier.verifyHash('old:x', PASSWORD)).toEqual(shed);
    expect(await verifier.hash(PASSWORD)).toEqual(shed);
    expect(await verifier.hashIfIdle(PASSWORD)).toEqual({ outcome: 'busy' });
    await unblock();
    expect(await verifier.hashIfIdle(PASSWORD)).toMatchObject({ outcome: 'hashed' });
  });

  it('round-robins between client networks (an IPv6 /64 is one) and new hashes of the host', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 1_800 });
    const { verifier } = countingVerifier({}, limiter);
    const unblock = block(limiter);
    const order: string[] = [];
    const logIn = (address: string | null, name: string) =>
      verifier.verify(null, PASSWORD, address).then(() => order.push(name));
    const logins = [
      logIn('2001:db8::1', 'six 1'),
      logIn('2001:db8::2', 'six 2'),
      logIn('2001:db8::3', 'six 3'),
      logIn(null, 'unknown 1'),
      logIn(null, 'unknown 2'),
      logIn(ADDRESS, 'four 1'),
      verifier.hash(PASSWORD).then(() => order.push('host 1')),
    ];
    await unblock();
    await Promise.all(logins);
    expect(order).toEqual([
      'six 1',
      'unknown 1',
      'four 1',
      'host 1',
      'six 2',
      'unknown 2',
      'six 3',
    ]);
  });

  it('runs the configured number of real hashes in parallel in the thread pool', async () => {
    let active = 0;
    let maxActive = 0;
    const computeArgon2 = async (password: string, work: Argon2Work) => {
      active += 1;
      maxActive = Math.max(maxActive, active);
      const tag = await argon2.hash(password, { raw: true, memoryCost: 64, salt: work.salt });
      active -= 1;
      return tag;
    };
    const verifier = createPasswordVerifier(resolvePasswords({ concurrency: 2 }), {
      computeArgon2,
    });
    await Promise.all(Array.from({ length: 40 }, () => verifier.verify(null, PASSWORD, ADDRESS)));
    expect(maxActive).toBe(2);
  });
});

describe('verifyHash', () => {
  it('compares by argon2id and by the schemes, as a login does', async () => {
    const counting = countingVerifier({ schemes: [oldScheme()] });
    const { verifier } = counting;
    const hash = await hashOf(counting, PASSWORD);
    expect(await verifier.verifyHash(hash, PASSWORD)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
    expect(await verifier.verifyHash(`old:${PASSWORD}`, PASSWORD)).toEqual({
      outcome: 'match',
      needsRehash: true,
    });
    for (const storedHash of [hash, 'old:x']) {
      expect(await verifier.verifyHash(storedHash, 'wrong')).toEqual({
        outcome: 'mismatch',
        reason: 'wrong_password',
      });
    }
  });

  it.each([null, '', '{SSHA}x'])(
    'returns a mismatch after one argon2id for the unusable hash %j',
    async (hash) => {
      const { verifier, runs } = countingVerifier();
      expect(await verifier.verifyHash(hash, PASSWORD)).toEqual({
        outcome: 'mismatch',
        reason: 'unusable_hash',
      });
      expect(runs).toHaveLength(1);
    },
  );

  it('compares with the hash even if logins use a verifier of the host', async () => {
    const counting = countingVerifier({ verifier: async () => false });
    const hash = await hashOf(counting, PASSWORD);
    expect(await counting.verifier.verifyHash(hash, PASSWORD)).toMatchObject({ outcome: 'match' });
  });

  it.each<[what: string, password: unknown, message: string]>([
    ['that is undefined', undefined, 'must be a string'],
    ['that is an object', { $ne: '' }, 'must be a string'],
    ['that is empty', '', 'must not be empty'],
    ['of 257 characters', 'x'.repeat(257), 'must be at most 256 characters'],
    ['with a lone surrogate', '\ud800x', 'must be well-formed Unicode'],
  ])('rejects a password %s without hashing', async (_, password, message) => {
    const { verifier, runs } = countingVerifier();
    const comparison = Reflect.apply(verifier.verifyHash, undefined, [null, password]);
    expect(await comparison).toEqual({ outcome: 'rejected', message });
    expect(runs).toHaveLength(0);
  });
});

describe('a new hash', () => {
  it.each([
    ['that is undefined', undefined, 'must be a string'],
    ['that is empty', '', 'must not be empty'],
    ['with a lone surrogate', '\ud800x', 'must be well-formed Unicode'],
    ['with U+FFFD', 'M\ufffdnchen', 'must not contain U+FFFD'],
  ])('is not created for a password %s', async (_, password, message) => {
    const { verifier, runs } = countingVerifier();
    const hashing = Reflect.apply(verifier.hash, undefined, [password]);
    expect(await hashing).toEqual({ outcome: 'rejected', message });
    expect(runs).toHaveLength(0);
  });

  it('is accepted by the same verifier', async () => {
    const verifier = createPasswordVerifier(resolvePasswords());
    const result = await verifier.hash(PASSWORD);
    if (result.outcome !== 'hashed') throw new Error(result.outcome);
    const user = userWith(result.passwordHash);
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
  });
});
