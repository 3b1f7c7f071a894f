import { describe, expect, it } from 'vitest';
import { scryptScheme } from './scrypt-scheme.ts';

/** The hash of "pässword" by Python's hashlib. */
const HASHLIB =
  '$scrypt$ln=10,r=8,p=2$AAECAwQFBgcICQoLDA0ODw$losytAae+gc320J2cf2x/9clnK8bcLIa3SdfnA01Doc';
/** The hash of "password" in passlib's documentation. */
const PASSLIB =
  '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E';

describe('scrypt', () => {
  const scheme = scryptScheme();

  it.each([
    ['hashlib', HASHLIB, 'pässword'],
    ['passlib with 64 MiB', PASSLIB, 'password'],
  ])('verifies a hash of %s with its password and no other', async (_, hash, password) => {
    expect(scheme.recognises(hash)).toBe(true);
    expect(await scheme.verify(hash, password)).toBe('exact_match');
    expect(await scheme.verify(hash, `${password}x`)).toBe('mismatch');
  });

  it('reports an inexact match for its password with a NUL appended', async () => {
    expect(await scheme.verify(HASHLIB, 'pässword\0')).toBe('match');
  });

  it.each([
    ['4 GiB', 'ln=22,r=8,p=1'],
    ['a cost of 2^99', 'ln=99,r=1,p=1'],
    ['many lanes', 'ln=16,r=8,p=8'],
    ['no memory', 'ln=0,r=8,p=1'],
    ['no block', 'ln=10,r=0,p=1'],
    ['no lane', 'ln=10,r=8,p=0'],
  ])('rejects a hash with %s without computing it', async (_, parameters) => {
    const hash = HASHLIB.replace('ln=10,r=8,p=2', parameters);
    expect(await scheme.verify(hash, 'pässword')).toBe('unusable');
  });

  it.each([
    ['no tag', '$scrypt$ln=10,r=8,p=2$AAECAwQFBgcICQoLDA0ODw'],
    ['a tag of three bytes', '$scrypt$ln=10,r=8,p=2$AAECAwQFBgcICQoLDA0ODw$losy'],
    ['no parameters', '$scrypt$'],
  ])('rejects a hash with %s as unusable', async (_, hash) => {
    expect(await scheme.verify(hash, 'pässword')).toBe('unusable');
  });

  it('computes the strongest setting of OWASP', async () => {
    const hash = HASHLIB.replace('ln=10,r=8,p=2', 'ln=17,r=8,p=1');
    expect(await scheme.verify(hash, 'pässword')).toBe('mismatch');
  });
});
