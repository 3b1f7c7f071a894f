import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { KeyOptions } from '../auth-options.ts';
import type { ConfigErrorCode } from '../errors.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { systemClock } from '../ports/clock.ts';
import { type ResolveKeysDeps, resolveKeys } from './resolve-keys.ts';

const signingPem = generateSigningKey().export({ type: 'pkcs8', format: 'pem' }).toString();
const refreshSecret = randomBytes(32);
const tokenKeys: KeyOptions = { signing: signingPem, refreshSecrets: [refreshSecret] };
const encryption = [randomBytes(32)];

/** `keys` may be anything that an integrator without types writes. */
function resolve(keys: object | undefined, overrides: Partial<ResolveKeysDeps> = {}) {
  return resolveKeys(keys as KeyOptions | undefined, {
    environment: 'production',
    clock: systemClock,
    mustEncrypt: true,
    ...overrides,
  });
}

describe('keys in production', () => {
  it.each<[names: string, keys: object | undefined]>([
    ['keys.signing, keys.refreshSecrets and keys.encryption', undefined],
    ['keys.signing and keys.refreshSecrets', { encryption }],
    ['keys.refreshSecrets and keys.encryption', { signing: tokenKeys.signing }],
    ['keys.encryption', tokenKeys],
  ])('are named in one error if they are missing: %s', (names, keys) => {
    expect(() => resolve(keys)).toThrow(
      expect.objectContaining({
        code: 'keys_missing',
        message: expect.stringMatching(new RegExp(`^${names} must be given, unless`)),
      }),
    );
  });

  it('may lack keys.encryption if nothing is encrypted', () => {
    expect(resolve(tokenKeys, { mustEncrypt: false })).toHaveProperty('signingKeys');
  });

  it.each<[code: ConfigErrorCode, what: string, encryption: unknown]>([
    ['encryption_key_missing', 'is null', null],
    ['encryption_key_missing', 'is empty', []],
    ['encryption_key_missing', 'has an unset variable', [undefined]],
    ['encryption_key_missing', 'is a string', 'x'.repeat(32)],
    ['encryption_key_too_short', 'has a short key', ['too short']],
    ['encryption_key_weak', 'has a key of zeros', [Buffer.alloc(32)]],
    ['encryption_key_weak', 'has a key of words', ['replace-me-with-a-real-secret-please']],
    ['encryption_key_duplicate', 'has one key twice', [Buffer.alloc(32), Buffer.alloc(32)]],
  ])('are rejected with %s if keys.encryption %s', (code, _, encryptionKeys) => {
    const reject = () => resolve({ ...tokenKeys, encryption: encryptionKeys });
    expect(reject).toThrow(expect.objectContaining({ name: 'ConfigError', code }));
  });
});

describe.each(['production', 'development'] as const)('keys in %s', (environment) => {
  const text = 'replace-me-with-a-real-secret-please';

  it('are rejected as refresh secrets if guessable, by an error that does not quote them', () => {
    const reject = () =>
      resolve({ ...tokenKeys, refreshSecrets: [text] }, { environment, mustEncrypt: false });
    expect(reject).toThrow(
      expect.objectContaining({
        code: 'refresh_secret_weak',
        message: expect.stringMatching(/openssl rand -base64 32/),
      }),
    );
    expect(reject).toThrow(expect.objectContaining({ message: expect.not.stringContaining(text) }));
  });

  it.each<[what: string, keys: object]>([
    ['a refresh secret', { encryption: tokenKeys.refreshSecrets }],
    ['a refresh secret in hex', { encryption: [refreshSecret.toString('hex')] }],
    ['the signing key', { encryption: [signingPem] }],
  ])('are rejected if keys.encryption has %s, even if nothing is encrypted', (_, keys) => {
    expect(() => resolve({ ...tokenKeys, ...keys }, { environment, mustEncrypt: false })).toThrow(
      expect.objectContaining({ code: 'keys_reused' }),
    );
  });
});

describe('keys in development', () => {
  let emitWarning: MockInstance<typeof process.emitWarning>;
  beforeEach(() => {
    emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  });
  afterEach(() => emitWarning.mockRestore());

  it.each<[warning: string, keys: object | undefined]>([
    [
      'keys.signing, keys.refreshSecrets and keys.encryption made at start: all logins and the secrets of webhooks and second factors are of no use after this process',
      undefined,
    ],
    [
      'keys.refreshSecrets made at start: all logins are of no use after this process',
      { ...tokenKeys, encryption, refreshSecrets: undefined },
    ],
    [
      'keys.encryption made at start: the secrets of webhooks and second factors are of no use after this process',
      tokenKeys,
    ],
  ])('are generated if absent, with one warning: %s', (warning, keys) => {
    const { encryption: encryptionRing } = resolve(keys, { environment: 'development' });
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([warning]);
    expect(encryptionRing.ids).toHaveLength(1);
  });
});
