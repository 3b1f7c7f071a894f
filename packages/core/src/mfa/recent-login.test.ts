import { expect, it } from 'vitest';
import { isRecentLogin } from './recent-login.ts';

it('isRecentLogin accepts a login for five minutes', () => {
  const login = { authTimeMs: 1_795_182_000_000 };
  expect(isRecentLogin(login, login.authTimeMs)).toBe(true);
  expect(isRecentLogin(login, login.authTimeMs + 300_000)).toBe(true);
  expect(isRecentLogin(login, login.authTimeMs + 300_001)).toBe(false);
});
