import { describe, expect, it } from 'vitest';
import { type AccountIdKind, isAccountId } from './account-id.ts';

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
});
