import type { SqlTransaction } from '@latchhook/core';
import type { Prisma } from './prisma/generated/client.ts';

/** An interactive Prisma transaction, for `auth.events.publish(..., { tx: prismaTransaction(tx) })`. */
export function prismaTransaction(tx: Prisma.TransactionClient): SqlTransaction {
  return { query: async (text, values) => ({ rows: await tx.$queryRawUnsafe(text, ...values) }) };
}
