import type { User, UserStore } from '@latchhook/core';
import { loginNameOf } from './login-name-of.ts';
import type { Prisma, PrismaClient } from './prisma/generated/client.ts';
import { recoveryCodeHash } from './recovery-code-hash.ts';
import { userOfRecord } from './user-of-record.ts';

/** A user store on the tables of `schema.sql`, by Prisma. */
export function prismaUsers(prisma: PrismaClient): UserStore {
  async function find(where: Prisma.UserWhereUniqueInput): Promise<User | null> {
    const record = await prisma.user.findUnique({
      where,
      include: { memberships: { orderBy: { accountId: 'asc' } } },
      // One statement instead of one per table. Omit this option without the preview feature `relationJoins`.
      relationLoadStrategy: 'join',
    });
    return record === null ? null : userOfRecord(record);
  }

  return {
    // Not `mode: 'insensitive'`: that is ILIKE, which uses no index and treats `_` as a wildcard.
    findByUsername: (username) => find({ loginName: loginNameOf(username) }),

    findById: (userId) => find({ id: userId }),

    // `updateMany` and `deleteMany` return the number of rows, while `update` and `delete` throw if no row matches.
    async replacePasswordHash(userId, { expected, replacement }) {
      const { count } = await prisma.user.updateMany({
        where: { id: userId, passwordHash: expected },
        data: { passwordHash: replacement },
      });
      return count === 1;
    },

    async consumeRecoveryCode(userId, code) {
      const { count } = await prisma.recoveryCode.deleteMany({
        where: { userId, codeHash: recoveryCodeHash(userId, code) },
      });
      return count === 1;
    },
  };
}
