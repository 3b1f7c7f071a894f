import type { User, UserStore } from '@latchhook/core';
import argon2 from 'argon2';

/** The password of every test user. */
export const TEST_PASSWORD = 'correct horse battery staple';

/** Shared secret of Grace's second factor, base32. */
export const GRACE_TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** A user store whose users a test can change. */
export interface TestUsers extends UserStore {
  change(userId: string, change: Partial<Omit<User, 'id'>>): void;
}

/** Made once, because a hash is slow; with the default parameters, so that no login upgrades it. */
const passwordHash: Promise<string> = argon2.hash(TEST_PASSWORD, {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
});

/**
 * Makes a user store with the usual test users: `ada` has all scopes and two accounts, `grace` a second factor,
 * `alan` nothing beyond the default, and `kurt` is disabled. Their names are `<id>@example.com`.
 */
export async function testUsers(): Promise<TestUsers> {
  const shared = { passwordHash: await passwordHash };
  const users: readonly User[] = [
    { id: 'ada', ...shared, accounts: [1, 2], scopes: ['user', 'admin', 'auth', 'internal'] },
    {
      id: 'grace',
      ...shared,
      accounts: [2],
      scopes: ['user', 'admin', 'auth'],
      mfa: { totpSecret: GRACE_TOTP_SECRET },
    },
    { id: 'alan', ...shared, accounts: [3] },
    { id: 'kurt', ...shared, accounts: [], disabled: true },
  ];
  const byId = new Map(users.map((user) => [user.id, user]));
  const find = (userId: string): User | null => byId.get(userId) ?? null;
  return {
    async findByUsername(username) {
      const [id = '', domain] = username.toLowerCase().split('@');
      return domain === 'example.com' ? find(id) : null;
    },
    async findById(userId) {
      return find(userId);
    },
    change(userId, change) {
      const user = find(userId);
      if (user === null) throw new Error(`no test user ${userId}`);
      byId.set(userId, { ...user, ...change });
    },
  };
}
