import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { requestAccount } from './request-account.ts';

const REJECTED = 'access_denied';

function account(accounts: readonly number[], bound: number | null, asked?: number) {
  try {
    return requestAccount({ accounts, accountId: bound }, asked);
  } catch (error) {
    return error instanceof AuthError ? error.code : error;
  }
}

describe('the account of a request', () => {
  it('is the one that it asks for', () => {
    expect(account([1, 2], null, 2)).toBe(2);
    expect(account([1, 2], 2, 2)).toBe(2);
  });

  it('is else the one that the credential is bound to', () => {
    expect(account([1, 2], 2)).toBe(2);
  });

  it('is else the first of the user', () => {
    expect(account([3, 1], null)).toBe(3);
  });

  it.each([
    ['one of somebody else', [1, 2], null, 3],
    ['another than the bound one', [1, 2], 2, 1],
    ['bound, but no longer of the user', [1], 2, undefined],
    ['asked for and bound, but no longer of the user', [1], 2, 2],
    ['asked for by a user who has none', [], null, 1],
    ['of a user who has none', [], null, undefined],
  ] as const)('is rejected where it is %s', (_, accounts, bound, asked) => {
    expect(account(accounts, bound, asked)).toBe(REJECTED);
  });
});
