import { describe, expect, it } from 'vitest';
import type { AccountId } from '../account-id.ts';
import type { PasswordOptions } from '../passwords/password-options.ts';
import { resolvePasswords } from './resolve-passwords.ts';

describe('the concurrency limit of hashes', () => {
  it.each([0, 1.5, Number.NaN])('is rejected with a concurrency of %s', (concurrency) => {
    expect(() => resolvePasswords({ concurrency })).toThrow('passwords.concurrency');
  });

  it.each([-1, 2 ** 31, Number.POSITIVE_INFINITY])(
    'is rejected with a longest wait of %s ms',
    (maxWaitMs) => {
      expect(() => resolvePasswords({ maxWaitMs })).toThrow('passwords.maxWaitMs');
    },
  );
});

describe('the parameters of argon2id', () => {
  it.each([
    [47_104, 1],
    [19_456, 2],
    [12_288, 3],
    [9_216, 4],
    [7_168, 5],
    [65_536, 3],
    [262_144, 10],
  ])('are accepted as %d KiB and %d iterations', (memoryKib, iterations) => {
    expect(() => resolvePasswords({ memoryKib, iterations })).not.toThrow();
  });

  it.each([
    [47_103, 1],
    [19_455, 2],
    [7_167, 10],
    [19_456.5, 2],
    [Number.NaN, 2],
    [null as unknown as number, 2],
    [19_456, null as unknown as number],
  ])('are rejected with argon2_too_weak as %s KiB and %s iterations', (memoryKib, iterations) => {
    expect(() => resolvePasswords({ memoryKib, iterations })).toThrow('argon2_too_weak');
  });

  it.each([
    [262_145, 2],
    [19_456, 11],
  ])('are rejected with argon2_too_costly as %d KiB and %d iterations', (memoryKib, iterations) => {
    expect(() => resolvePasswords({ memoryKib, iterations })).toThrow('argon2_too_costly');
  });
});

describe('the option passwords', () => {
  const verifier = async () => true;
  it.each<[PasswordOptions<AccountId>, string]>([
    [{ verifier, schemes: [] }, 'password_schemes_beside_verifier'],
    [{ limitConcurrency: false }, 'limit_concurrency_without_verifier'],
    [{ upgradeHashes: true }, 'password_upgrade_impossible'],
    [{ memoryKib: 1_024 }, 'argon2_too_weak'],
    [{ concurrency: 0 }, 'option_out_of_bounds'],
  ])('%o is rejected with %s', (options, code) => {
    expect(() => resolvePasswords(options)).toThrow(expect.objectContaining({ code }));
  });

  it('upgradeHashes is rejected with a verifier even if `users` has replacePasswordHash', () => {
    const users = { replacePasswordHash: async () => true };
    expect(() => resolvePasswords({ verifier, upgradeHashes: true }, users)).toThrow(
      expect.objectContaining({ code: 'password_upgrade_impossible' }),
    );
  });
});

describe('upgrades of hashes', () => {
  const users = { replacePasswordHash: async () => true };

  it('are off unless upgradeHashes is true, even if `users` has replacePasswordHash', () => {
    expect(resolvePasswords({}, users).upgradeHashes).toBe(false);
    expect(resolvePasswords({ upgradeHashes: true }, users).upgradeHashes).toBe(true);
  });

  it.each([1, 'yes', null])('are rejected with passwords_invalid as %j', (upgradeHashes) => {
    expect(() => Reflect.apply(resolvePasswords, undefined, [{ upgradeHashes }, users])).toThrow(
      expect.objectContaining({ code: 'passwords_invalid' }),
    );
  });
});
