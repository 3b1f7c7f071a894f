import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './prisma/generated/client.ts';

export interface PrismaClientOptions {
  /** Of PostgreSQL, where the tables are. Prisma writes it before each of their names. */
  readonly schema: string;
}

/** Prisma over a pool that the app has already. The pool stays the app's to end. */
export function prismaClient(pool: Pool, { schema }: PrismaClientOptions): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
}
