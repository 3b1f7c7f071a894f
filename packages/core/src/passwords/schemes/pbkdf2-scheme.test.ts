import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pbkdf2Scheme } from './pbkdf2-scheme.ts';

/** The hash of "password" in passlib's documentation. */
const PASSLIB_DOCUMENTED =
  '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44';

/** Hashes of "pässword" by Python's hashlib. The salts of ff and fb bytes use both `+` and `/`. */
const HASHLIB = {
  'passlib, SHA-1': '$pbkdf2$1000$AAECAwQFBgcICQoLDA0ODw$LXLUTXEwz3bsvdnCGyPh0mNzhGs',
  'passlib, SHA-512':
    '$pbkdf2-sha512$1000$.//7//v/.//7//v/.//7/w$lHUY9j.gUDezJI0UuhSFsfDMNFfPkZutRvdAylkq3/KJOmYZ58IMhMNhdimcf/u.gm4Ivp4UZKEWlJ6lOC7KPg',
  'PHC, SHA-256':
    '$pbkdf2-sha256$i=1000,l=32$+//7//v/+//7//v/+//7/w$vSGi7VC6Dl9lwjrWIn0lEUwKV6VncBJLeowq9Iwm/Hc',
  'PHC, SHA-512 cut to 32 bytes':
    '$pbkdf2-sha512$i=1000$+//7//v/+//7//v/+//7/w$lHUY9j+gUDezJI0UuhSFsfDMNFfPkZutRvdAylkq3/I',
  'Django, SHA-1': 'pbkdf2_sha1$1000$Zq3nG8kdR1uT$OGomYvHIxyIxfapIacusg3zzXMU=',
  'Django, SHA-256': 'pbkdf2_sha256$1000$Zq3nG8kdR1uT$J830CdSOdxOD82WTWU/TWFX+nHR4N8n6zGhmgPwdSxw=',
};

describe('PBKDF2', () => {
  const scheme = pbkdf2Scheme();

  it.each(Object.entries(HASHLIB))(
    'verifies a hash of %s with its password and no other',
    async (_, hash) => {
      expect(scheme.recognises(hash)).toBe(true);
      expect(await scheme.verify(hash, 'pässword')).toBe('exact_match');
      expect(await scheme.verify(hash, 'passwort')).toBe('mismatch');
    },
  );

  it("verifies the hash of passlib's documentation", async () => {
    expect(await scheme.verify(PASSLIB_DOCUMENTED, 'password')).toBe('exact_match');
  });

  it('verifies a long password and its SHA-1 digest, which are one HMAC key, as inexact matches', async () => {
    const long = 'plnlrtfpijpuhqylxbgqiiyipieyxvfsavzgxbbcfusqkozwpngsyejqlmjsytrmd';
    const digest = "eBkXQTfuBqp'cTcar&g*";
    const tag = pbkdf2Sync(long, 'salt', 1000, 20, 'sha1').toString('base64');
    const hash = `pbkdf2_sha1$1000$salt$${tag}`;
    expect(await scheme.verify(hash, long)).toBe('match');
    expect(await scheme.verify(hash, digest)).toBe('match');
  });

  it.each([
    ['4,000,001 iterations', PASSLIB_DOCUMENTED.replace('6400', '4000001')],
    ['no iteration', PASSLIB_DOCUMENTED.replace('6400', '0')],
    ['a length that is not the tag’s', HASHLIB['PHC, SHA-256'].replace('l=32', 'l=64')],
    ['an unknown digest', PASSLIB_DOCUMENTED.replace('sha256', 'md5')],
    ['a tag of three bytes', '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZ'],
    ['no tag', 'pbkdf2_sha256$1000$Zq3nG8kdR1uT$'],
  ])('rejects a hash with %s without computing it', async (_, hash) => {
    expect(await scheme.verify(hash, 'password')).toBe('unusable');
  });

  it('does not recognise hashes of other schemes', () => {
    const others = ['$scrypt$', '$argon2id$', '$2b$', 'sha256', ''];
    expect(others.map(scheme.recognises)).toEqual(others.map(() => false));
  });
});
