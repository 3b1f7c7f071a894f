import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
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

describe('the name of an account', () => {
  it('is unique to the account, and parses back to its id', () => {
    const ids = fc.oneof(visible, fc.maxSafeInteger());
    fc.assert(
      fc.property(ids, ids, (id, otherId) => {
        expect(parseAccountName(accountName(id))).toBe(id);
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
      ...['1', '-1', '9007199254740991'],
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
  it.each([
    ['integer', [1, 0, -1, Number.MAX_SAFE_INTEGER], [1.5, 2 ** 53, '1', '', null, undefined, 1n]],
    [
      'string',
      ['1', '!', '~'.repeat(64), 'a/b', '{"}', '%'],
      ['', ' ', 'a b', 'ä', '\u007f', '\n', 'x'.repeat(65), 1, null, undefined, ['a'], Object('a')],
    ],
  ] as const)('is validated by type, range and characters: %s', (kind, validIds, otherValues) => {
    for (const value of validIds) expect(isAccountId(kind, value), String(value)).toBe(true);
    for (const value of otherValues) expect(isAccountId(kind, value), String(value)).toBe(false);
  });

  it('is rejected, if invalid, with a message that names the option and never quotes the id', () => {
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

it('mistakeInKind names the option for a string instead of an integer or vice versa, and else is null', () => {
  for (const accountId of [1, Number.NaN, undefined, null, ['1']]) {
    expect(mistakeInKind('integer', accountId)).toBeNull();
  }
  expect(mistakeInKind('integer', '1')).toBe(
    'must be an integer from 1; convert it: Number(id), or id::int of a bigint in PostgreSQL',
  );
  expect(mistakeInKind('integer', 'acme')).toBe(
    "must be an integer from 1; ids that are strings need accounts: { id: 'string' } of createAuth",
  );
  expect(mistakeInKind('string', '')).toBeNull();
  for (const accountId of [1, Number.NaN]) {
    expect(mistakeInKind('string', accountId)).toMatch(
      /^must be a string .* of createAuth, the default$/,
    );
  }
});

describe('the accounts of a user', () => {
  it('are valid as an array of ids of the configured kind, and any mistake is named', () => {
    expect(mistakeInAccounts('integer', [1, 2])).toBeNull();
    expect(mistakeInAccounts('integer', [])).toBeNull();
    expect(mistakeInAccounts('string', ['acme'])).toBeNull();
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
