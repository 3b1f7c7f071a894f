import { expect, it } from 'vitest';
import { isRecentLogin } from './recent-login.ts';

const FIVE_MINUTES_MS = 300_000;

it('isRecentLogin accepts a login for five minutes', () => {
  const login = { authTimeMs: 1_795_182_000_000 };
  expect(isRecentLogin(login, login.authTimeMs)).toBe(true);
  expect(isRecentLogin(login, login.authTimeMs + FIVE_MINUTES_MS)).toBe(true);
  expect(isRecentLogin(login, login.authTimeMs + FIVE_MINUTES_MS + 1)).toBe(false);
});
