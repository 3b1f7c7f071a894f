import { describe, expect, it } from 'vitest';
import { warningsOf } from '../warnings-of.test.support.ts';
import { type ResolveCookiesDeps, resolveCookies } from './resolve-cookies.ts';

const SECURE = { url: 'https://api.example.com/auth', environment: 'production' } as const;
const LOCAL = { url: 'http://localhost:3000', environment: 'development' } as const;

function resolve(deps: ResolveCookiesDeps, option: Parameters<typeof resolveCookies>[0] = true) {
  let policy: ReturnType<typeof resolveCookies>;
  const warnings = warningsOf(() => {
    policy = resolveCookies(option, deps);
  });
  return { policy, warnings };
}

describe('the cookies of logins', () => {
  it.each([undefined, false])('are off with %s', (option) => {
    expect(resolveCookies(option, SECURE)).toBeUndefined();
  });

  it('are SameSite=Strict by default, and SameSite=Lax with `lax`', () => {
    const { policy, warnings } = resolve(SECURE, { sameSite: 'lax' });
    expect([policy?.sameSite, resolve(SECURE).policy?.sameSite]).toEqual(['Lax', 'Strict']);
    expect(warnings).toEqual([]);
  });

  it.each([LOCAL.url, 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'cause a warning for %s in development',
    (url) => {
      expect(resolve({ ...LOCAL, url }).warnings).toEqual(['LATCHHOOK_COOKIES']);
    },
  );

  it('are rejected over http on an address that is not loopback', () => {
    expect(() => resolve({ ...LOCAL, url: 'http://10.0.0.7:3000' })).toThrow('[cookies_invalid]');
  });
});

describe('the origins of the app', () => {
  it('are the origin of its URL and those in `origins`', () => {
    const { policy, warnings } = resolve(SECURE, { origins: ['https://app.example.com'] });
    expect(warnings).toEqual([]);
    const ownOrigins = ['https://api.example.com', 'https://app.example.com'];
    const foreignOrigins = [
      'null',
      '',
      'https://example.com',
      'https://evil.example.com',
      'https://app.example.com:444',
      'http://app.example.com',
      'http://localhost:3000',
    ];
    expect(ownOrigins.map((origin) => policy?.isOwnOrigin(origin))).toEqual([true, true]);
    for (const origin of foreignOrigins) expect(policy?.isOwnOrigin(origin), origin).toBe(false);
  });

  it('include every loopback origin on any port if the app is on loopback in development', () => {
    const { policy } = resolve(LOCAL);
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]']) {
      expect(policy?.isOwnOrigin(origin), origin).toBe(true);
    }
    for (const origin of ['null', '', 'http://evil.test', 'http://localhost.evil.test']) {
      expect(policy?.isOwnOrigin(origin), origin).toBe(false);
    }
  });

  it.each<ResolveCookiesDeps>([
    { ...LOCAL, environment: 'production' },
    { ...LOCAL, url: 'https://localhost:3000' },
  ])('include no other loopback origin in production or over https: %o', (deps) => {
    const { policy, warnings } = resolve(deps);
    expect(policy?.isOwnOrigin('http://localhost:5173')).toBe(false);
    expect(warnings).toEqual([]);
  });
});
