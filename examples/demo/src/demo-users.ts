import { createHash } from 'node:crypto';
import type { User, UserStore } from '@latchhook/core';

/** It is everybody's. */
export const DEMO_PASSWORD = 'correct horse battery staple';

/** Its hash, made by `auth.passwords.hash`. */
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

/** Recovery codes that Grace has printed: `DEMO-CODE-AAAA-2222` and `DEMO-CODE-BBBB-3333`. */
const RECOVERY_CODES: Readonly<Record<string, readonly string[]>> = {
  grace: ['DEMOCODEAAAA2222', 'DEMOCODEBBBB3333'],
};

/** The demo users as a user store: two look-ups, and the two writes that an app may offer. */
export function demoUsers(): UserStore {
  const byId = new Map(TABLE.map((user) => [user.id, user]));
  const idByUsername = new Map(TABLE.map(({ id, username }) => [username, id]));
  const unused = new Set(
    Object.entries(RECOVERY_CODES).flatMap(([userId, codes]) =>
      codes.map((code) => hashedCode(userId, code)),
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
    // Synchronous, so that only one of two parallel calls can take a code.
    async consumeRecoveryCode(userId, code) {
      return unused.delete(hashedCode(userId, code));
    },
  };
}

function hashedCode(userId: string, code: string): string {
  return createHash('sha256').update(`${userId}:${code}`).digest('base64url');
}
