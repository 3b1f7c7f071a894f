import { prismaClient } from '@latchhook/example-users-table';
import { Client, Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postgresUrl } from '../postgres/open-schema.ts';
import { HAS_POSTGRES, LIBRARY_NAMES, openLibrary } from './open-library.ts';
import type { UsersTables } from './users-tables.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statements that a call sends to PostgreSQL, observed in `pg`, which every library uses. */
async function statementsOf(call: () => Promise<unknown>): Promise<readonly Statement[]> {
  const query = vi.spyOn(Client.prototype, 'query');
  try {
    await call();
    return query.mock.calls.map(([first, second]: readonly unknown[]) => {
      const config = typeof first === 'string' ? { text: first } : (first as Partial<Statement>);
      const values = config.values ?? (Array.isArray(second) ? second : []);
      return { text: config.text ?? '', values };
    });
  } finally {
    query.mockRestore();
  }
}

/** The plan with `enable_seqscan=off`: if it still has a sequential scan, no index can be used. */
async function planOf(tables: UsersTables, { text, values }: Statement): Promise<string> {
  const pool = new Pool({
    connectionString: postgresUrl(),
    options: `-c search_path=${tables.schema} -c enable_seqscan=off`,
  });
  try {
    const { rows } = await pool.query(`EXPLAIN ${text}`, [...values]);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await pool.end();
  }
}

describe.skipIf(!HAS_POSTGRES).each(LIBRARY_NAMES)('the user store by %s', (name) => {
  it('sends one indexed statement per call', async () => {
    const { userStore, tables } = await openLibrary(name);
    const { id } = await tables.addUser({
      username: 'ada@example.com',
      passwordHash: 'old',
      accounts: [1, 2],
    });
    // The first call may include statements that a library sends only once.
    await userStore.findById(id);
    const calls = [
      () => userStore.findById(id),
      () => userStore.findByUsername('ada@example.com'),
      () => userStore.replacePasswordHash?.(id, { expected: 'old', replacement: 'new' }),
      () => userStore.consumeRecoveryCode?.(id, 'ABCDEFGHIJKLMNOP'),
    ];
    for (const call of calls) {
      const [statement, ...more] = await statementsOf(async () => call());
      expect(more).toEqual([]);
      expect(await planOf(tables, statement ?? { text: '', values: [] })).not.toContain('Seq Scan');
    }
  });

  it('lists the accounts in ascending order', async () => {
    const { userStore, tables } = await openLibrary(name);
    const { id } = await tables.addUser({
      username: 'ada@example.com',
      passwordHash: null,
      accounts: [12, 3, 7],
    });
    expect((await userStore.findById(id))?.accounts).toEqual([3, 7, 12]);
  });

  it('matches ids and names literally', async () => {
    const { userStore, tables } = await openLibrary(name);
    const awkward = ["o'hara; --", '$1 ? :id {0}', 'Ünï\u{1F512}', 'a"b\\c', 'x'.repeat(255)];
    for (const id of awkward) {
      await tables.addUser({ id, username: `${id}@x`, passwordHash: null, accounts: [] });
    }
    for (const id of awkward) {
      expect((await userStore.findById(id))?.id).toBe(id);
      expect((await userStore.findByUsername(`${id}@X`))?.id).toBe(id);
    }
    for (const unknown of ['', '%', '\u{1F512}', "' OR ''='", 'x'.repeat(2048)]) {
      expect(await userStore.findById(unknown)).toBeNull();
      expect(await userStore.findByUsername(unknown)).toBeNull();
    }
  });
});

describe.skipIf(!HAS_POSTGRES)('the insensitive mode of Prisma', () => {
  it('treats an underscore as a wildcard, and uses no index', async () => {
    const { tables } = await openLibrary('Prisma');
    const pool = new Pool({ connectionString: postgresUrl() });
    onTestFinished(() => pool.end());
    const prisma = prismaClient(pool, { schema: tables.schema });
    await tables.addUser({ username: 'axb@example.com', passwordHash: null, accounts: [] });
    const find = () =>
      prisma.user.findFirst({
        where: { loginName: { equals: 'a_b@example.com', mode: 'insensitive' } },
      });
    expect((await find())?.email).toBe('axb@example.com');
    const [statement] = await statementsOf(find);
    expect(await planOf(tables, statement ?? { text: '', values: [] })).toContain('Seq Scan');
  });
});
