import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './prisma/generated/client.ts';

export interface PrismaClientOptions {
  /** The PostgreSQL schema of the tables. Prisma qualifies each table name with it. */
  readonly schema: string;
}

/** Prisma over a pool that the app already has. The app still ends the pool. */
export function prismaClient(pool: Pool, { schema }: PrismaClientOptions): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
}
