import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AuthOptions } from './auth-options.ts';
import { createAuth } from './create-auth.ts';
import type { ConfigErrorCode } from './errors.ts';
import { generateSigningKey } from './keys/signing-key.ts';
import type { LimiterOptions } from './storage/limiter.ts';
import { mapMethods } from './storage/map-methods.ts';
import { memoryLimiters } from './storage/memory/memory-limiter.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';
import { STORE_METHODS } from './storage/store-methods.ts';
import { warningsOf } from './warnings-of.test.support.ts';

const users = { findByUsername: async () => null, findById: async () => null };
const VALID: AuthOptions = {
  issuer: 'https://api.example.com',
  users,
  storage: memoryStorage(),
  keys: { signing: generateSigningKey(), refreshSecrets: [randomBytes(32)] },
  environment: 'production',
};

/** Limiters without a method for locks. */
const limitersWithoutLock = (options: LimiterOptions) => {
  const { penaltyWithLock, ...others } = mapMethods(
    memoryLimiters()(options),
    STORE_METHODS.limiters,
    (call) => call(),
  );
  return others;
};

/** Options as an integrator without types, or with a typo, may write them. */
type Mistake = Partial<Record<string, unknown>>;

function create(change: Mistake = {}): unknown {
  return createAuth({ ...VALID, ...change } as AuthOptions);
}

function expectRejection(code: ConfigErrorCode, change: Mistake): void {
  expect(() => create(change)).toThrow(expect.objectContaining({ name: 'ConfigError', code }));
}

describe('createAuth', () => {
  it('accepts valid production options without a warning', () => {
    expect(warningsOf(() => create())).toEqual([]);
  });

  it.each<[code: ConfigErrorCode, change: Mistake]>([
    ['option_unknown', { storge: {} }],
    ['option_unknown', { keys: { refreshSecret: ['x'] } }],
    ['option_unknown', { lifetimes: { accessTokenMinutes: 10 } }],
    ['option_unknown', { throttle: { enabled: false } }],
    ['option_unknown', { passwords: { scheme: [] } }],
    ['option_unknown', { mfa: { toString: 1 } }],
    ['option_unknown', { webhooks: { worker: false, allowHTTP: true } }],
    ['option_unknown', { putTokenDeprecation: { since: new Date(0), until: new Date(0) } }],
    ['keys_invalid', { keys: 'secret' }],
    ['lifetimes_invalid', { lifetimes: 3_600 }],
    ['throttle_invalid', { throttle: true }],
    ['throttle_invalid', { throttle: null }],
    ['passwords_invalid', { passwords: [] }],
    ['mfa_invalid', { mfa: true }],
    ['webhooks_invalid', { webhooks: true }],
    ['webhooks_invalid', { webhooks: null }],
    ['webhooks_invalid', { webhooks: {} }],
    ['option_unknown', { cookies: { samesite: 'lax' } }],
    ['cookies_invalid', { cookies: 'strict' }],
    ['cookies_invalid', { cookies: null }],
    ['cookies_invalid', { cookies: { sameSite: 'none' } }],
    ['cookies_invalid', { cookies: { origins: 'https://app.example.com' } }],
    ['cookies_invalid', { cookies: { origins: ['https://app.example.com/'] } }],
    ['cookies_invalid', { cookies: { origins: ['https://APP.example.com'] } }],
    ['cookies_invalid', { cookies: { origins: ['https://*.example.com'] } }],
    ['cookies_invalid', { cookies: { origins: ['http://app.example.com'] } }],
    ['cookies_invalid', { cookies: { origins: ['null'] } }],
    ['cookies_invalid', { cookies: { origins: [undefined] } }],
    ['keys_missing', { webhooks: { worker: false } }],
    ['environment_invalid', { environment: 'prod' }],
    ['environment_invalid', { environment: null }],
    ['issuer_invalid', { issuer: undefined }],
    ['issuer_invalid', { issuer: 'api.example.com' }],
    ['issuer_invalid', { issuer: 'http://api.example.com' }],
    ['issuer_invalid', { issuer: 'https://api.example.com?x=1' }],
    ['issuer_invalid', { issuer: 'https://api.example.com?' }],
    ['issuer_invalid', { issuer: 'https://api.example.com#x' }],
    ['issuer_invalid', { issuer: 'https://:secret@api.example.com' }],
    ['issuer_invalid', { issuer: 'https://api.example.com\n' }],
    ['issuer_invalid', { issuer: 'https:\\\\api.example.com' }],
    ['issuer_invalid', { issuer: new URL('https://api.example.com') }],
    ['base_url_invalid', { baseUrl: 'nonsense' }],
    ['base_url_invalid', { baseUrl: '/auth' }],
    ['base_url_invalid', { baseUrl: 'https://api.example.com/auth?x=1' }],
    ['base_url_invalid', { baseUrl: 'http://api.example.com/auth' }],
    ['base_url_invalid', { baseUrl: 'ftp://api.example.com/auth' }],
    ['audience_invalid', { audience: '' }],
    ['client_id_invalid', { clientId: '' }],
    ['client_id_invalid', { clientId: 7 }],

    ['users_invalid', { users: undefined }],
    ['users_invalid', { users: {} }],
    ['users_invalid', { users: { ...users, findById: 'SELECT' } }],
    ['users_invalid', { users: { ...users, replacePasswordHash: true } }],
    ['users_invalid', { users: { ...users, consumeRecoveryCode: null } }],
    ['accounts_invalid', { accounts: 'string' }],
    ['accounts_invalid', { accounts: { id: 'uuid' } }],
    ['accounts_invalid', { accounts: { id: null } }],
    ['option_unknown', { accounts: { ids: 'string' } }],
    ['storage_invalid', { storage: {} }],
    ['storage_invalid', { storage: null }],
    ['on_security_event_invalid', { onSecurityEvent: 'console' }],
    ['clock_invalid', { clock: Date }],
    ['clock_invalid', { clock: { nowMs: Date.now, monotonicMs: 1 } }],

    ['keys_missing', { keys: undefined }],
    ['keys_missing', { keys: {} }],

    ['option_out_of_bounds', { lifetimes: { accessTokenSeconds: 599 } }],
    ['option_out_of_bounds', { lifetimes: { maxAccessTokenSeconds: 86_401 } }],
    ['option_out_of_bounds', { lifetimes: { refreshGraceSeconds: 301 } }],
    ['option_out_of_bounds', { lifetimes: { refreshIdleSeconds: 91 * 86_400 } }],
    ['option_out_of_bounds', { lifetimes: { challengeSeconds: '300' } }],
    ['option_out_of_bounds', { lifetimes: { challengeSeconds: null } }],
    ['option_out_of_bounds', { mfa: { attemptsPerChallenge: 0 } }],
    ['option_out_of_bounds', { mfa: { lockSeconds: 900, maxLockSeconds: 899 } }],
    ['option_out_of_bounds', { maxSessionsPerUser: 1.5 }],
    ['option_out_of_bounds', { throttle: { identifierFailures: 0 } }],
    ['option_out_of_bounds', { throttle: { lockSeconds: 900, maxLockSeconds: 899 } }],
    ['option_out_of_bounds', { throttle: { knownAddressDays: 366 } }],
    ['option_out_of_bounds', { clockToleranceSeconds: 61 }],
    ['option_out_of_bounds', { clockToleranceSeconds: -1 }],
    ['option_out_of_bounds', { clockToleranceSeconds: 0.5 }],
    ['option_out_of_bounds', { tokenCacheSize: 1 }],
    ['option_out_of_bounds', { tokenCacheSize: 2.5 }],
    ['option_out_of_bounds', { tokenCacheSize: Number.POSITIVE_INFINITY }],

    ['argon2_too_weak', { passwords: { memoryKib: 8_192 } }],
    ['passwords_invalid', { passwords: { verifier: 'ldap' } }],
    ['passwords_invalid', { passwords: { schemes: ['bcrypt'] } }],
    ['passwords_invalid', { passwords: { verifier: async () => true, limitConcurrency: 'no' } }],
    ['passwords_invalid', { passwords: { normalization: 'NFKC' } }],

    ['put_token_deprecation_invalid', { putTokenDeprecation: {} }],
    ['put_token_deprecation_invalid', { putTokenDeprecation: { since: new Date('soon') } }],
    ['put_token_deprecation_invalid', { putTokenDeprecation: { since: '2026-01-01' } }],
    [
      'put_token_deprecation_invalid',
      { putTokenDeprecation: { since: new Date(0), sunset: new Date('later') } },
    ],
    [
      'put_token_deprecation_invalid',
      { putTokenDeprecation: { since: new Date(1), sunset: new Date(0) } },
    ],
  ])('rejects with %s: %o', expectRejection);

  it.each<[code: ConfigErrorCode, keys: Mistake]>([
    ['keys_missing', { refreshSecrets: undefined }],
    ['refresh_secret_too_short', { refreshSecrets: ['too short'] }],
    ['refresh_secret_missing', { refreshSecrets: [] }],
    ['refresh_secret_missing', { refreshSecrets: null }],
    ['refresh_secret_missing', { refreshSecrets: [undefined] }],
    ['refresh_secret_missing', { refreshSecrets: 'x'.repeat(32) }],
    ['signing_key_unreadable', { signing: 'no key' }],
    ['signing_key_missing', { signing: null }],
    ['signing_key_missing', { signing: [] }],
  ])('rejects with %s the keys %o', (code, keys) => {
    expectRejection(code, { keys: { ...VALID.keys, ...keys } });
  });

  it.each<[what: string, change: Mistake]>([
    ['challenges without methods', { challenges: {} }],
    ['limiters that are not a function', { limiters: {} }],
    ['limiters without penaltyWithLock', { limiters: limitersWithoutLock }],
  ])('rejects with storage_invalid a storage that has %s', (_, change) => {
    expectRejection('storage_invalid', { storage: { ...memoryStorage(), ...change } });
  });

  it.each<[code: ConfigErrorCode, option: string, value: string]>([
    ['issuer_invalid', 'issuer', `https://api.example.com/${'a'.repeat(2_000)}`],
    ['audience_invalid', 'audience', 'ü'.repeat(2_000)],
    ['client_id_invalid', 'clientId', '\u0000'.repeat(800)],
  ])('rejects with %s if tokens would be too long because of %s', (code, option, value) => {
    expectRejection(code, { [option]: value });
  });

  it.each([undefined, null, 'https://api.example.com'])(
    'rejects the options %j with options_invalid',
    (options) => {
      expect(() => createAuth(options as unknown as AuthOptions)).toThrow('[options_invalid]');
    },
  );

  it('rejects an unknown option with an error that names the known options', () => {
    expect(() => create({ keys: { ...VALID.keys, refreshSecret: [] } })).toThrow(
      'keys knows no "refreshSecret"; it takes: signing, refreshSecrets, encryption [option_unknown]',
    );
  });

  it('rejects a storage with an error that names its missing method', () => {
    const storage = memoryStorage();
    const sessions = Object.assign(Object.create(storage.sessions), { list: undefined });
    expect(() => create({ storage: { ...storage, sessions } })).toThrow(
      'it lacks sessions.list [storage_invalid]',
    );
  });

  it('accepts a lockSeconds above the default of maxLockSeconds if maxLockSeconds is not given', () => {
    expect(() => create({ throttle: { lockSeconds: 3_600 } })).not.toThrow();
  });

  it('warns of the memory storage only in production', () => {
    const storage = undefined;
    expect(warningsOf(() => create({ storage }))).toEqual(['LATCHHOOK_STORAGE']);
    expect(warningsOf(() => create({ storage, environment: 'development' }))).toEqual([]);
  });

  it('warns of a storage without limiters in production if any feature uses them', () => {
    const { limiters, ...storage } = memoryStorage();
    expect(limiters).toBeTypeOf('function');
    expect(warningsOf(() => create({ storage }))).toEqual(['LATCHHOOK_LIMITERS']);
    expect(warningsOf(() => create({ storage, throttle: false }))).toEqual([]);
    expect(warningsOf(() => create({ storage, environment: 'development' }))).toEqual([]);
    const keys = { ...VALID.keys, encryption: [randomBytes(32)] };
    for (const feature of [{ webhooks: { worker: false } }, { mfa: { enrolment: true } }]) {
      const unthrottled = { storage, keys, throttle: false, ...feature };
      expect(warningsOf(() => create(unthrottled))).toEqual(['LATCHHOOK_LIMITERS']);
      expect(warningsOf(() => create({ ...unthrottled, storage: memoryStorage() }))).toEqual([]);
    }
    expect(warningsOf(() => create({ storage, throttle: false, mfa: {} }))).toEqual([]);
  });

  describe('without an environment option', () => {
    const keyless: Mistake = { environment: undefined, keys: undefined };
    afterEach(() => vi.unstubAllEnvs());

    it.each([undefined, 'development', 'test'])('generates keys if NODE_ENV is %j', (name) => {
      vi.stubEnv('NODE_ENV', name);
      expect(warningsOf(() => create(keyless))).toEqual(['LATCHHOOK_KEYS']);
    });

    it.each(['production', 'staging', 'prod', 'Development', ''])(
      'requires keys if NODE_ENV is %j',
      (name) => {
        vi.stubEnv('NODE_ENV', name);
        expect(() => create(keyless)).toThrow('[keys_missing]');
      },
    );
  });

  describe('with webhooks', () => {
    const keys = { ...VALID.keys, encryption: [randomBytes(32)] };

    it('accepts valid production options without a warning', () => {
      expect(warningsOf(() => create({ keys, webhooks: { worker: false } }))).toEqual([]);
    });

    it('passes published events, drainDeliveries and close on to the worker', async () => {
      const calls: string[] = [];
      const { events, drainDeliveries, close } = createAuth({
        ...VALID,
        keys,
        webhooks: {
          worker: () => ({
            async drain({ deadlineMs }) {
              calls.push(`drain ${deadlineMs}`);
              return { outcome: 'drained' };
            },
            close: async () => void calls.push('close'),
          }),
        },
      });
      const message = { accountId: 1, data: {} };
      expect(await events.publish('Account.Created', message)).toMatchObject({ deliveries: 0 });
      expect(await drainDeliveries({ deadlineMs: 7 })).toEqual({ outcome: 'drained' });
      await close();
      expect(calls).toEqual(['drain 7', 'close']);
    });

    it('accepts events with `worker: false`, and has nothing to drain', async () => {
      const { events, drainDeliveries, close } = createAuth({
        ...VALID,
        keys,
        webhooks: { worker: false },
      });
      const message = { accountId: 1, data: {} };
      expect(await events.publish('Account.Created', message)).toMatchObject({ deliveries: 0 });
      expect(await drainDeliveries({ deadlineMs: 7 })).toEqual({ outcome: 'drained' });
      await close();
    });

    it('rejects publish() with webhooks_missing if `webhooks` is not given', async () => {
      const { events, close } = createAuth(VALID);
      const message = { accountId: 1, data: {} };
      await expect(events.publish('Account.Created', message)).rejects.toThrow(
        '[webhooks_missing]',
      );
      expect(await close()).toBeUndefined();
    });
  });
});
