import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountId } from '../account-id.ts';
import { ADDRESS, oldScheme, userWith } from './password-fixture.test.support.ts';
import type { PasswordOptions } from './password-options.ts';

/** A bcrypt hash without its prefix `$2b$`. */
const REST = '10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

let warnings: unknown[][];
beforeEach(() => {
  // A process that has not warned yet.
  vi.resetModules();
  warnings = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((...warning: unknown[]) => {
    warnings.push(warning);
  });
});
afterEach(() => vi.restoreAllMocks());

/** A login of somebody with this hash. */
async function logIn(hash: string | null, options?: PasswordOptions<AccountId>): Promise<void> {
  const { countingVerifier } = await import('./password-fixture.test.support.ts');
  const { verifier } = countingVerifier(options);
  await verifier.verify(userWith(hash), 'typed', ADDRESS);
}

describe('the warning of unrecognised hashes', () => {
  it('names the option and the prefix of the hashes, once for all hashes with that prefix', async () => {
    for (const start of ['a', 'b', 'c']) await logIn(`$2b$${start}${REST}`);
    expect(warnings).toEqual([
      [
        'users with a password hash $2b$ cannot log in: passwords.schemes has no scheme that recognises it. Give it bcryptScheme, scryptScheme, pbkdf2Scheme or one of your own',
        { type: 'LatchhookWarning', code: 'LATCHHOOK_PASSWORDS' },
      ],
    ]);
  });

  it('is emitted once for each kind of hash', async () => {
    for (const kind of ['$2a$', '$argon2i$', '$6$', '$pbkdf2-sha256$', '$scrypt$', '$2a$']) {
      await logIn(kind + REST);
    }
    const kinds = warnings.map(([message]) => /hash (\S+) cannot/.exec(String(message))?.[1]);
    expect(kinds).toEqual(['$2a$', '$argon2i$', '$6$', '$pbkdf2-sha256$', '$scrypt$']);
  });

  it('reveals nothing of a hash of an unknown form', async () => {
    const prefixes = [
      '$hunter2$',
      'hunter2$',
      '{SSHA}hunter2',
      'hunter2',
      '$2b',
      '$$2b$',
      '$2b\n$',
    ];
    for (const prefix of prefixes) await logIn(prefix + REST);
    expect(warnings).toHaveLength(1);
    expect(String(warnings[0])).toMatch(/^users with a password hash of an unknown form cannot/);
    expect(JSON.stringify(warnings)).not.toMatch(/hunter2|SSHA|2b|N9qo/);
  });

  it.each<[what: string, hash: string | null, options?: PasswordOptions<AccountId>]>([
    ['who has no password', null],
    ['whose hash is empty', ''],
    ['whom Django has locked out', `!${REST}`],
    ['whom shadow has locked out', '*'],
    ['whose hash a scheme recognises', 'old:x', { schemes: [oldScheme('unusable')] }],
    ['whose argon2id hash is damaged', '$argon2id$v=19$m=1'],
    ['whom the host’s own verifier compares', `$2y$${REST}`, { verifier: async () => false }],
  ])('is not emitted for a user %s', async (_, hash, options) => {
    await logIn(hash, options);
    expect(warnings).toEqual([]);
  });
});
