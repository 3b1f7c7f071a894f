import { describe, expect, it } from 'vitest';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import type { User } from '../users/users.ts';
import {
  ADDRESS,
  countingVerifier,
  hashOf,
  oldScheme,
  PASSWORD,
  userWith,
} from './password-fixture.test.support.ts';
import { createPasswordVerifier } from './password-verifier.ts';

const TODAY = { version: 0x13, memoryKib: 19_456, iterations: 2, parallelism: 1, tagBytes: 32 };

describe('a login by a stored hash', () => {
  it('matches the right password after computing one argon2id hash', async () => {
    const counting = countingVerifier();
    const user = userWith(await hashOf(counting, PASSWORD));
    expect(await counting.verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
    expect(counting.runs).toHaveLength(1);
  });

  const HASH_OF_4_GIB =
    '$argon2id$v=19$m=4194304,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$7Gk7aEIYzmYtbHYYvvqBKT0sqZc';
  it.each<[string, (hash: string) => User | null, string, string]>([
    ['an unknown user', () => null, PASSWORD, 'unknown_user'],
    ['a wrong password', (hash) => userWith(hash), 'wrong', 'wrong_password'],
    ['a disabled user', (hash) => userWith(hash, { disabled: true }), PASSWORD, 'disabled'],
    ['a user without password', () => userWith(null), PASSWORD, 'unusable_hash'],
    ['a hash of an unknown form', () => userWith('{SSHA}x'), PASSWORD, 'unusable_hash'],
    ['an empty hash', () => userWith(''), PASSWORD, 'unusable_hash'],
    ['a damaged hash', (hash) => userWith(hash.slice(0, -30)), PASSWORD, 'unusable_hash'],
    ['argon2i', (h) => userWith(h.replace('2id', '2i')), PASSWORD, 'unusable_hash'],
    ['a hash of 4 GiB', () => userWith(HASH_OF_4_GIB), PASSWORD, 'unusable_hash'],
    ['a hash that its scheme cannot use', () => userWith('old:x'), PASSWORD, 'unusable_hash'],
  ])("rejects %s after exactly one argon2id hash with today's parameters", async (...row) => {
    const [, user, password, reason] = row;
    const counting = countingVerifier({ schemes: [oldScheme('unusable')] });
    const hash = await hashOf(counting, PASSWORD);
    expect(await counting.verifier.verify(user(hash), password, ADDRESS)).toEqual({
      outcome: 'mismatch',
      reason,
    });
    expect(counting.runs).toHaveLength(1);
    expect(counting.runs[0]).toMatchObject(TODAY);
  });

  it('is a mismatch if the user store leaves out passwordHash', async () => {
    const { verifier, runs } = countingVerifier();
    const user: User = JSON.parse('{"id":"u1","accounts":[]}');
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'mismatch',
      reason: 'unusable_hash',
    });
    expect(runs).toHaveLength(1);
  });

  it('needs less than 48 MiB for a stored hash of 4 GiB', async () => {
    const verifier = createPasswordVerifier(resolvePasswords());
    await verifier.verify(null, PASSWORD, ADDRESS);
    const before = process.memoryUsage().rss;
    await verifier.verify(userWith(HASH_OF_4_GIB), PASSWORD, ADDRESS);
    // One hash with today's parameters takes 19 MiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
  });

  it('matches a stored password typed in NFC and in NFD', async () => {
    const counting = countingVerifier();
    const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301'];
    const user = userWith(await hashOf(counting, nfd));
    for (const password of [nfc, nfd]) {
      expect(await counting.verifier.verify(user, password, ADDRESS)).toMatchObject({
        outcome: 'match',
      });
    }
  });

  it('does not normalise passwords under `none`', async () => {
    const counting = countingVerifier({ normalization: 'none' });
    const user = userWith(await hashOf(counting, 'cafe\u0301'));
    const outcome = await counting.verifier.verify(user, 'caf\u00e9', ADDRESS);
    expect(outcome).toMatchObject({ outcome: 'mismatch' });
  });

  it('asks for a rehash if today’s parameters cost more', async () => {
    const yesterday = countingVerifier({ memoryKib: 12_288, iterations: 3 });
    const user = userWith(await hashOf(yesterday, PASSWORD));
    const { verifier } = countingVerifier();
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: true,
    });
  });

  it('compares by a custom scheme without argon2id, and asks for a rehash', async () => {
    const { verifier, runs } = countingVerifier({ schemes: [oldScheme()] });
    const user = userWith(`old:${PASSWORD}`);
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: true,
    });
    expect(await verifier.verify(user, 'wrong', ADDRESS)).toMatchObject({
      reason: 'wrong_password',
    });
    expect(runs).toHaveLength(0);
  });

  it('asks for no rehash if the scheme reports an inexact match', async () => {
    const { verifier } = countingVerifier({ schemes: [oldScheme('match')] });
    expect(await verifier.verify(userWith('old:x'), PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
  });

  it('asks for a rehash of old parameters, and matches NFC and NFD after the rehash', async () => {
    const yesterday = countingVerifier({ memoryKib: 12_288, iterations: 3 });
    const user = userWith(await hashOf(yesterday, 'caf\u00e9'));
    const today = countingVerifier();
    const nfd = 'cafe\u0301';
    expect(await today.verifier.verify(user, nfd, ADDRESS)).toMatchObject({ needsRehash: true });
    const rehashedUser = userWith(await hashOf(today, nfd));
    for (const password of ['caf\u00e9', nfd]) {
      const comparison = await today.verifier.verify(rehashedUser, password, ADDRESS);
      expect(comparison).toMatchObject({ outcome: 'match' });
    }
  });

  it('passes the password to a scheme without normalising it', async () => {
    const scheme = oldScheme();
    const { verifier } = countingVerifier({ schemes: [scheme] });
    await verifier.verify(userWith('old:x'), 'cafe\u0301', ADDRESS);
    expect(scheme.typedPasswords).toEqual(['cafe\u0301']);
  });

  it('rejects if a scheme fails, and names the scheme without the password', async () => {
    const cause = new Error('native module missing');
    const scheme = { ...oldScheme(), verify: () => Promise.reject(cause) };
    const { verifier } = countingVerifier({ schemes: [scheme] });
    await expect(verifier.verify(userWith('old:x'), PASSWORD, ADDRESS)).rejects.toMatchObject({
      message: 'The password scheme old failed',
      cause,
    });
  });
});
