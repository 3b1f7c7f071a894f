import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SqlTransaction, User, UserStore } from '@latchhook/core';
import {
  drizzleSchema,
  drizzleTransaction,
  drizzleUsers,
  knexTransaction,
  knexUsers,
  pgUsers,
  prismaClient,
  prismaTransaction,
  prismaUsers,
  recoveryCodeHash,
} from '@latchhook/example-users-table';
import type { NewUser, OpenUsers } from '@latchhook/testkit';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Pool } from 'pg';

/** The users tables through one library. */
export interface Library {
  readonly userStore: UserStore;
  /** Runs `work` in a transaction of the library, which is rolled back if `work` throws. */
  inTransaction<Result>(work: (tx: LibraryTransaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** A transaction of a library: a function that writes by the library, and the `tx` for publishing events. */
export interface LibraryTransaction {
  addMembership(userId: string, accountId: number): Promise<unknown>;
  readonly tx: SqlTransaction;
}

/** Enough connections for races. */
const CONNECTIONS = 8;

const SCHEMA_SQL = new URL('../../examples/users-table/src/schema.sql', import.meta.url);

export const LIBRARIES: Readonly<Record<string, (url: string, schema: string) => Library>> = {
  'plain SQL': (url, schema) => {
    const pool = poolOf(url, schema);
    return {
      userStore: pgUsers(pool),
      inTransaction: async (work) => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          const result = await work({
            tx: client,
            addMembership: (userId, accountId) =>
              client.query('INSERT INTO memberships VALUES ($1, $2)', [userId, accountId]),
          });
          await client.query('COMMIT');
          return result;
        } catch (error) {
          await client.query('ROLLBACK');
          throw error;
        } finally {
          client.release();
        }
      },
      close: () => pool.end(),
    };
  },

  Knex: (url, schema) => {
    const db = knex({ client: 'pg', connection: url, searchPath: [schema], pool: { max: 8 } });
    return {
      userStore: knexUsers(db),
      inTransaction: (work) =>
        db.transaction((trx) =>
          work({
            tx: knexTransaction(trx),
            addMembership: async (userId, accountId) =>
              trx('memberships').insert({ user_id: userId, account_id: accountId }),
          }),
        ),
      close: () => db.destroy(),
    };
  },

  Drizzle: (url, schema) => {
    const pool = poolOf(url, schema);
    const db = drizzle({ client: pool, schema: drizzleSchema });
    return {
      userStore: drizzleUsers(db),
      inTransaction: (work) =>
        db.transaction((tx) =>
          work({
            tx: drizzleTransaction(tx),
            addMembership: async (userId, accountId) =>
              tx.insert(drizzleSchema.memberships).values({ userId, accountId }),
          }),
        ),
      close: () => pool.end(),
    };
  },

  Prisma: (url, schema) => {
    const pool = poolOf(url, schema);
    const prisma = prismaClient(pool, { schema });
    return {
      userStore: prismaUsers(prisma),
      inTransaction: (work) =>
        prisma.$transaction((tx) =>
          work({
            tx: prismaTransaction(tx),
            addMembership: (userId, accountId) =>
              tx.membership.create({ data: { userId, accountId } }),
          }),
        ),
      close: async () => {
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
};

function poolOf(url: string, schema: string): Pool {
  return new Pool({
    connectionString: url,
    max: CONNECTIONS,
    options: `-c search_path=${schema}`,
  });
}

/** The tables of the example, in a new schema. */
export interface UsersTables extends Omit<OpenUsers, 'userStore' | 'close'> {
  readonly schema: string;
  addUser(user: NewUser & { readonly id?: string }): Promise<User>;
  /** Runs any other statement on the tables. */
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
  empty(): Promise<void>;
  drop(): Promise<void>;
}

/** Creates the tables by the script of the example. */
export async function createUsersTables(url: string): Promise<UsersTables> {
  const schema = `users_${randomUUID().replaceAll('-', '')}`;
  const pool = poolOf(url, schema);
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query(await readFile(SCHEMA_SQL, 'utf8'));
  return {
    schema,
    addUser: async (user) => {
      const added = { ...user, id: user.id ?? randomUUID() };
      await pool.query(
        `INSERT INTO users (id, email, password_hash, password_changed_at, disabled, scopes, totp_secret)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          added.id,
          added.username,
          added.passwordHash,
          added.passwordChangedAtMs === undefined ? null : new Date(added.passwordChangedAtMs),
          added.disabled ?? false,
          added.scopes ?? ['user'],
          added.mfa?.totpSecret ?? null,
        ],
      );
      for (const accountId of added.accounts) {
        await pool.query('INSERT INTO memberships VALUES ($1, $2)', [added.id, accountId]);
      }
      return added;
    },
    removeUser: async (userId) => {
      await pool.query('DELETE FROM users WHERE id = $1', [userId]);
    },
    addRecoveryCode: async (userId, code) => {
      const values = [userId, recoveryCodeHash(userId, code)];
      await pool.query('INSERT INTO recovery_codes VALUES ($1, $2)', values);
    },
    query: (sql, values = []) => pool.query(sql, [...values]),
    empty: async () => {
      await pool.query('TRUNCATE users CASCADE');
    },
    drop: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}
