import type { User, UserStore } from '@latchhook/core';
import { and, eq, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { drizzleSchema } from './drizzle-schema.ts';
import { loginNameOf } from './login-name-of.ts';
import { recoveryCodeHash } from './recovery-code-hash.ts';
import { userOfRecord } from './user-of-record.ts';

const { users, memberships, recoveryCodes } = drizzleSchema;

/** A user store on the tables of `schema.sql`, by Drizzle over `pg`. */
export function drizzleUsers(db: NodePgDatabase<typeof drizzleSchema>): UserStore {
  async function find(where: SQL): Promise<User | null> {
    const record = await db.query.users.findFirst({
      where,
      with: { memberships: { orderBy: memberships.accountId } },
    });
    return record === undefined ? null : userOfRecord(record);
  }

  return {
    findByUsername: (username) => find(eq(users.loginName, loginNameOf(username))),

    findById: (userId) => find(eq(users.id, userId)),

    async replacePasswordHash(userId, { expected, replacement }) {
      const { rowCount } = await db
        .update(users)
        .set({ passwordHash: replacement })
        .where(and(eq(users.id, userId), eq(users.passwordHash, expected)));
      return rowCount === 1;
    },

    async consumeRecoveryCode(userId, code) {
      const codeHash = recoveryCodeHash(userId, code);
      const { rowCount } = await db
        .delete(recoveryCodes)
        .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash)));
      return rowCount === 1;
    },
  };
}
