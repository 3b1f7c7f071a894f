import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccountIdKind,
  accountName,
  assertAccountId,
  isAccountId,
  mistakeInAccounts,
  mistakeInKind,
  parseAccountName,
} from './account-id.ts';

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 64,
});

const accountIds = fc.oneof(visible, fc.maxSafeInteger());

describe('the name of an account', () => {
  it('parses back to the account id', () => {
    fc.assert(
      fc.property(accountIds, (id) => {
        expect(parseAccountName(accountName(id))).toBe(id);
      }),
    );
  });

  it('is the same only for the same account id', () => {
    fc.assert(
      fc.property(accountIds, accountIds, (id, otherId) => {
        expect(accountName(id) === accountName(otherId)).toBe(id === otherId);
      }),
    );
  });

  it('has no character that separates the parts of a key', () => {
    fc.assert(
      fc.property(visible, (id) => {
        expect(accountName(id)).toMatch(/^=[\w!~*'().%-]+$/);
      }),
    );
  });

  it('is its digits if the id is an integer', () => {
    expect([1, -1, Number.MAX_SAFE_INTEGER].map(accountName)).toEqual([
      '1',
      '-1',
      '9007199254740991',
    ]);
  });

  it.each([
    '',
    'x',
    '1.5',
    '01',
    '1e3',
    '9007199254740993',
    ' 1',
    '=',
    '=%',
    '=a b',
    '=a%2',
    '=%41',
  ])('cannot be parsed from %j', (name) => expect(() => parseAccountName(name)).toThrow(Error));
});

describe('an account id', () => {
  it.each<[kind: AccountIdKind, validIds: readonly unknown[], invalidIds: readonly unknown[]]>([
    ['integer', [1, 0, -1, Number.MAX_SAFE_INTEGER], [1.5, 2 ** 53, '1', '', null, undefined, 1n]],
    [
      'string',
      ['1', '!', '~'.repeat(64), 'a/b', '{"}', '%'],
      ['', ' ', 'a b', 'ä', '\u007f', '\n', 'x'.repeat(65), 1, null, undefined, ['a'], Object('a')],
    ],
  ])('of the kind %s has the right type, range and characters', (kind, validIds, invalidIds) => {
    for (const value of validIds) expect(isAccountId(kind, value), String(value)).toBe(true);
    for (const value of invalidIds) expect(isAccountId(kind, value), String(value)).toBe(false);
  });

  it('is rejected by assertAccountId with a TypeError that says how to correct it, without quoting it', () => {
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
    expect(mistakeInAccounts('string', ['acme', 7])).toMatch(/; ids that are integers need/);
    expect(mistakeInAccounts('string', [1n])).toMatch(/; ids that are integers need/);
  });
});
