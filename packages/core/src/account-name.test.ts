import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountName, parseAccountName } from './account-name.ts';

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
