import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { accountOfRequest } from './account-of-request.ts';

const REJECTED = 'access_denied';

function account(accounts: readonly number[], bound: number | null, requested?: number) {
  try {
    return accountOfRequest({ accounts, accountId: bound }, requested);
  } catch (error) {
    return error instanceof AuthError ? error.code : error;
  }
}

describe('the account of a request', () => {
  it('is the requested account', () => {
    expect(account([1, 2], null, 2)).toBe(2);
    expect(account([1, 2], 2, 2)).toBe(2);
  });

  it('defaults to the account that the credential is bound to', () => {
    expect(account([1, 2], 2)).toBe(2);
  });

  it('defaults to the first account of the user if the credential is not bound', () => {
    expect(account([3, 1], null)).toBe(3);
  });

  it.each([
    ['it is requested, and of another user', [1, 2], null, 3],
    ['it is requested, and not the account that the credential is bound to', [1, 2], 2, 1],
    ['it is the bound account by default, and the user no longer has it', [1], 2, undefined],
    ['it is the bound account by request, and the user no longer has it', [1], 2, 2],
    ['it is requested by a user without accounts', [], null, 1],
    ['none is requested by a user without accounts', [], null, undefined],
  ] as const)('is rejected with access_denied if %s', (_, accounts, bound, requested) => {
    expect(account(accounts, bound, requested)).toBe(REJECTED);
  });
});
