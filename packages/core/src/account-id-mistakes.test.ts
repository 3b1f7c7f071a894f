import { describe, expect, it } from 'vitest';
import { assertAccountId, mistakeInAccounts, mistakeInKind } from './account-id-mistakes.ts';

it('assertAccountId rejects an id with a TypeError that says how to correct it, without quoting it', () => {
  expect(() => assertAccountId('integer', 0, 'the account')).toThrow(
    new TypeError('accountId must be an integer from 1: the account'),
  );
  expect(() => assertAccountId('integer', 'acme', 'the account')).toThrow(
    new TypeError(
      "accountId must be an integer from 1: the account; ids that are strings need accounts: { id: 'string' } of createAuth",
    ),
  );
  expect(() => assertAccountId('string', 7, 'the account')).toThrow(
    "ids that are integers need accounts: { id: 'integer' } of createAuth, the default",
  );
  expect(() => assertAccountId('integer', '7', 'the account')).toThrow(
    /: the account; convert it: Number\(id\), or id::int of a bigint in PostgreSQL$/,
  );
  expect(() => assertAccountId('string', 'a b', 'the account')).toThrow(
    new TypeError('accountId must be a string of 1 to 64 visible ASCII characters: the account'),
  );
});

it('assertAccountId rejects values that do not convert to a number without converting them', () => {
  const unconvertible = { valueOf: () => expect.fail('converted') };
  for (const accountId of [Symbol('acme'), Object.create(null), unconvertible]) {
    expect(() => assertAccountId('integer', accountId, 'the account')).toThrow(
      new TypeError('accountId must be an integer from 1: the account'),
    );
  }
});

it('mistakeInKind returns null if the id does not have the type of the other kind', () => {
  for (const accountId of [1, Number.NaN, undefined, null, ['1']]) {
    expect(mistakeInKind('integer', accountId)).toBeNull();
  }
  expect(mistakeInKind('string', '')).toBeNull();
});

it('mistakeInKind says how to correct an id that has the type of the other kind', () => {
  expect(mistakeInKind('integer', '1')).toBe(
    'must be an integer from 1; convert it: Number(id), or id::int of a bigint in PostgreSQL',
  );
  expect(mistakeInKind('integer', 'acme')).toBe(
    "must be an integer from 1; ids that are strings need accounts: { id: 'string' } of createAuth",
  );
  for (const accountId of [1, Number.NaN]) {
    expect(mistakeInKind('string', accountId)).toMatch(
      /^must be a string .* of createAuth, the default$/,
    );
  }
});

describe('mistakeInAccounts', () => {
  it('says how to correct the value', () => {
    expect(mistakeInAccounts('integer', [1, null])).toBe('must be an array of integers');
    expect(mistakeInAccounts('integer', undefined)).toBe('must be an array of integers');
    expect(mistakeInAccounts('integer', ['acme'])).toMatch(/; ids that are strings need accounts/);
    expect(mistakeInAccounts('string', [1])).toMatch(/; ids that are integers need accounts/);
    for (const bigints of [['1', '20'], [1n]]) {
      expect(mistakeInAccounts('integer', bigints)).toBe(
        'must be an array of integers; convert it: Number(id), or id::int of a bigint in PostgreSQL',
      );
    }
    expect(mistakeInAccounts('integer', ['1', 'acme'])).toMatch(/; ids that are strings need/);
    expect(mistakeInAccounts('integer', ['9007199254740993'])).toMatch(/; ids that are strings/);
    expect(mistakeInAccounts('integer', [1, '2'])).toMatch(/; convert it: Number/);
    expect(mistakeInAccounts('integer', [1n, null])).toBe('must be an array of integers');
    expect(mistakeInAccounts('string', ['acme', 7])).toMatch(/; ids that are integers need/);
    expect(mistakeInAccounts('string', [1n])).toMatch(/; ids that are integers need/);
  });
});
