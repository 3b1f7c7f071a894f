import { createHash } from 'node:crypto';
import type { User, UserStore } from '@latchhook/core';

/** The password of every demo user. */
export const DEMO_PASSWORD = 'correct horse battery staple';

/** The hash of {@link DEMO_PASSWORD} by `auth.passwords.hash`. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$HAVudvGo0a6kEhVpx0wdjg$/D6PbcFJd4J+38Eba4RpscEVi6ylBGVoNJcxq1QlmKM';

/** The users table that an app would have in its database. */
const TABLE: readonly (User & { readonly username: string })[] = [
  {
    id: 'ada',
    username: 'ada@example.com',
    passwordHash: PASSWORD_HASH,
    accounts: [1, 2],
    scopes: ['user', 'admin', 'auth', 'internal'],
  },
  {
    id: 'grace',
    username: 'grace@example.com',
    passwordHash: PASSWORD_HASH,
    accounts: [2],
    scopes: ['user', 'admin', 'auth'],
    mfa: { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
  },
  { id: 'alan', username: 'alan@example.com', passwordHash: PASSWORD_HASH, accounts: [3] },
  {
    id: 'kurt',
    username: 'kurt@example.com',
    passwordHash: PASSWORD_HASH,
    accounts: [],
    disabled: true,
  },
];

/** The recovery codes `DEMO-CODE-AAAA-2222` and `DEMO-CODE-BBBB-3333`, as Latchhook passes them to the user store. */
const RECOVERY_CODES: Readonly<Record<string, readonly string[]>> = {
  grace: ['DEMOCODEAAAA2222', 'DEMOCODEBBBB3333'],
};

/** The demo users as a user store, with both optional writes. */
export function demoUsers(): UserStore {
  const byId = new Map(TABLE.map((user) => [user.id, user]));
  const idByUsername = new Map(TABLE.map(({ id, username }) => [username, id]));
  const unusedCodes = new Set(
    Object.entries(RECOVERY_CODES).flatMap(([userId, codes]) =>
      codes.map((code) => hashCode(userId, code)),
    ),
  );
  return {
    async findByUsername(username) {
      const id = idByUsername.get(username.toLowerCase());
      return id === undefined ? null : (byId.get(id) ?? null);
    },
    async findById(userId) {
      return byId.get(userId) ?? null;
    },
    async replacePasswordHash(userId, { expected, replacement }) {
      const user = byId.get(userId);
      if (user?.passwordHash !== expected) return false;
      byId.set(userId, { ...user, passwordHash: replacement });
      return true;
    },
    // Without an `await`, so that only one of two parallel calls can use a code.
    async consumeRecoveryCode(userId, code) {
      return unusedCodes.delete(hashCode(userId, code));
    },
  };
}

function hashCode(userId: string, code: string): string {
  return createHash('sha256').update(`${userId}:${code}`).digest('base64url');
}
