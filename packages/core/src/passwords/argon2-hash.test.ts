import argon2 from 'argon2';
import { describe, expect, it } from 'vitest';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import { createArgon2Hasher, dummyPhc } from './argon2-hash.ts';
import { parseArgon2Phc } from './argon2-phc.ts';

const SETTINGS = resolvePasswords();

describe('argon2id', () => {
  const hasher = createArgon2Hasher(SETTINGS);

  it("hashes with OWASP's parameters, one lane, a fresh salt of 16 bytes and a tag of 32", async () => {
    const [hash, sameInputHash] = await Promise.all([
      hasher.hash('correct'),
      hasher.hash('correct'),
    ]);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(hash).not.toBe(sameInputHash);
  });

  it('creates hashes that the argon2 package verifies, and verifies hashes of that package', async () => {
    const newHash = await hasher.hash('correct horse');
    const packageHash = await argon2.hash('correct horse', { memoryCost: 8_192, parallelism: 4 });
    expect(await argon2.verify(newHash, 'correct horse')).toBe(true);
    expect(await hasher.verify(packageHash, 'correct horse')).toBe('exact_match');
    expect(await hasher.verify(packageHash, 'correct house')).toBe('mismatch');
  });

  it('verifies hashes in the format that the argon2 package has written since 0.45', async () => {
    const packageHash =
      '$argon2id$v=19$m=8192,p=1,t=2$MDEyMzQ1Njc4OWFiY2RlZg$sFRVTRsAeSHfhBgbew5UVS2l6TfgFTIVzFo9hrj0ulQ';
    expect(await hasher.verify(packageHash, 'correct horse battery staple')).toBe('exact_match');
    expect(hasher.isOutdated(packageHash)).toBe(true);
  });

  it('agrees with the test vector of the reference implementation, and respects the version', async () => {
    const vector =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await hasher.verify(vector, 'password')).toBe('exact_match');
    expect(await hasher.verify(vector.replace('v=19$', ''), 'password')).toBe('mismatch');
  });

  it('distinguishes passwords by their 73rd byte, and by bytes after a NUL', async () => {
    const longHash = await hasher.hash(`${'x'.repeat(72)}a`);
    expect(await hasher.verify(longHash, `${'x'.repeat(72)}b`)).toBe('mismatch');
    const shortHash = await hasher.hash('a');
    expect(await hasher.verify(shortHash, 'a\0b')).toBe('mismatch');
  });

  it('rejects a hash of 4 GiB as unusable without allocating memory', async () => {
    const hugeHash = dummyPhc({ memoryKib: 4 * 1024 * 1024, iterations: 2 });
    const rssBefore = process.memoryUsage().rss;
    expect(await hasher.verify(hugeHash, 'password')).toBe('unusable');
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('the dummy hash', () => {
  it('has the given parameters, differs each time, and matches no password', async () => {
    const dummy = dummyPhc(SETTINGS);
    expect(dummy).not.toBe(dummyPhc(SETTINGS));
    expect(parseArgon2Phc(dummy)).toMatchObject({
      version: 0x13,
      memoryKib: 19_456,
      iterations: 2,
      parallelism: 1,
      tagBytes: 32,
    });
    expect(await createArgon2Hasher(SETTINGS).verify(dummy, '')).toBe('mismatch');
  });
});

describe('isOutdated', () => {
  const hasher = createArgon2Hasher({ memoryKib: 19_456, iterations: 3 });
  it.each([
    [false, "with today's parameters", 'v=19$m=19456,t=3,p=1'],
    [true, 'with less memory', 'v=19$m=12288,t=3,p=1'],
    [true, 'with fewer passes', 'v=19$m=19456,t=2,p=1'],
    [true, 'with the same cost in more lanes', 'v=19$m=19456,t=3,p=4'],
    [true, 'of an old version', 'v=16$m=65536,t=3,p=1'],
    [false, "that costs more than today's parameters", 'v=19$m=65536,t=3,p=4'],
  ])('is %s for a hash %s (%s)', (outdated, _, parameters) => {
    const phc = hasher.dummy.replace('v=19$m=19456,t=3,p=1', parameters);
    expect(hasher.isOutdated(phc)).toBe(outdated);
  });

  it('is true for a hash of any other scheme', () => {
    expect(hasher.isOutdated('$2b$12$abcdefghijklmnopqrstuu')).toBe(true);
  });
});
