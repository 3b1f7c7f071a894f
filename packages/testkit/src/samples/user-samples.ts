import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { AccountId, User } from '@latchhook/core';
import type { NewUser } from '../user-harness.ts';

/** A user with every field. */
export const COMPLETE_USER: NewUser = {
  username: 'ada@example.com',
  passwordHash: hashNamed('ada'),
  accounts: [3, 7, 12],
  scopes: ['user', 'admin', 'auth'],
  disabled: false,
  mfa: { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
  passwordChangedAtMs: 1_700_000_000_000,
};

/** A user with as few fields as possible. */
export const BARE_USER: NewUser = {
  username: 'grace@example.com',
  passwordHash: null,
  accounts: [],
  scopes: ['user'],
  disabled: false,
  mfa: null,
};

/** A text that looks like a hash of argon2, different for each name. */
export function hashNamed(name: string): string {
  const digest = createHash('sha256').update(name).digest('base64').replace('=', '');
  return `$argon2id$v=19$m=19456,t=2,p=1$c2FsdCBvZiBhIHVzZXI$${digest}`;
}

/** A recovery code, different for each number up to 9,999. */
export function recoveryCode(nth: number): string {
  const digits = String(nth).padStart(4, '0').split('');
  return `ABCDEFGHIJKL${digits.map((digit) => 'QRSTUVWXYZ'[Number(digit)]).join('')}`;
}

/** Compares users as core reads them: with defaults for absent fields, and accounts and scopes in any order. */
export function assertSameUser(
  actual: User<string, AccountId> | null,
  expected: User<string, AccountId>,
): void {
  assert.ok(actual, `expected to find ${expected.username}`);
  assert.deepEqual(comparable(actual), comparable(expected));
}

export function assertNobody(user: User<string, AccountId> | null): void {
  // Drivers return `null` or `undefined`, and core accepts both.
  assert.equal(user ?? null, null);
}

function comparable(user: User<string, AccountId>): object {
  const { id, passwordHash, accounts, scopes = ['user'], mfa, passwordChangedAtMs = 0 } = user;
  return {
    id,
    passwordHash,
    accounts: accounts.toSorted(),
    scopes: scopes.toSorted(),
    totpSecret: mfa?.totpSecret ?? null,
    passwordChangedAtMs,
    // Databases without booleans return 0 and 1.
    disabled: Boolean(user.disabled),
  };
}
