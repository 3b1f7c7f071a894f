import type { User, UserStore } from '@latchhook/core';
import { loginNameOf } from './login-name-of.ts';
import type { Prisma, PrismaClient } from './prisma/generated/client.ts';
import { recoveryCodeHash } from './recovery-code-hash.ts';
import { userOfRecord } from './user-of-record.ts';

/** The users of `schema.sql`, by Prisma. */
export function prismaUsers(prisma: PrismaClient): UserStore {
  async function find(where: Prisma.UserWhereUniqueInput): Promise<User | null> {
    const record = await prisma.user.findUnique({
      where,
      include: { memberships: { orderBy: { accountId: 'asc' } } },
      // One statement instead of one per table. Without the preview feature `relationJoins`, leave it out.
      relationLoadStrategy: 'join',
    });
    return record === null ? null : userOfRecord(record);
  }

  return {
    // Not `mode: 'insensitive'`: that is ILIKE, which no index serves, and which takes `_` for any character.
    findByUsername: (username) => find({ loginName: loginNameOf(username) }),

    findById: (userId) => find({ id: userId }),

    // `updateMany` and `deleteMany` are one statement that counts rows. `update` and `delete` throw if none matches.
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
