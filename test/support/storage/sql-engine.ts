import type { Clock } from '@latchhook/core';
import type { Row, Rows, StorageEngine } from '@latchhook/core/storage';
import type { Pool, PoolClient } from 'pg';

const TABLES = `
CREATE TABLE engine_rows (
  partition text NOT NULL,
  key text NOT NULL,
  row json NOT NULL,
  PRIMARY KEY (partition, key)
);
CREATE TABLE engine_places (
  partition text NOT NULL,
  key text NOT NULL,
  index_name text NOT NULL,
  place text COLLATE "C" NOT NULL,
  PRIMARY KEY (partition, key, index_name)
);
CREATE INDEX engine_places_within ON engine_places (partition, index_name, place);
CREATE INDEX engine_places_over_all ON engine_places (index_name, place);`;

const SELECT = `
SELECT row, partition FROM engine_rows JOIN engine_places USING (partition, key)
 WHERE index_name = $1 AND place >= $2 AND ($3::text IS NULL OR place < $3)`;

/**
 * An engine as a stranger writes it: rows in two tables of a database that has transactions, and a lock for each
 * partition.
 *
 * @param pool - its connections find the tables in a schema of their own
 */
export async function openSqlEngine(pool: Pool, clock?: Clock): Promise<StorageEngine> {
  await pool.query(TABLES);
  return sqlEngine(pool, clock);
}

export function sqlEngine(pool: Pool, clock?: Clock): StorageEngine {
  async function now(queries: Pick<PoolClient, 'query'>): Promise<number> {
    if (clock !== undefined) return clock.nowMs();
    const { rows } = await queries.query(
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS ms',
    );
    return Number(rows[0].ms);
  }

  return {
    name: 'sql',

    async transact(partition, work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      const noteBroken = (error: Error) => {
        broken = error;
      };
      // A connection that is lost between two queries is no query's error, and would end the process.
      client.on('error', noteBroken);
      try {
        await client.query('BEGIN');
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [partition]);
        const answer = await work(rowsOf(client, partition), await now(client));
        await client.query('COMMIT');
        return answer;
      } catch (error) {
        await client.query('ROLLBACK').catch(noteBroken);
        throw error;
      } finally {
        client.off('error', noteBroken);
        client.release(broken);
      }
    },

    async find(index, { from = '', before = null, limit }) {
      const values = [index, from, before, limit];
      const { rows } = await pool.query(`${SELECT} ORDER BY place LIMIT $4`, values);
      return rows.map(({ row, partition }) => ({ ...row, partition }));
    },

    now: () => now(pool as unknown as PoolClient),
  };
}

function rowsOf(client: PoolClient, partition: string): Rows {
  const remove = async (key: string): Promise<void> => {
    for (const table of ['engine_rows', 'engine_places']) {
      await client.query(`DELETE FROM ${table} WHERE partition = $1 AND key = $2`, [
        partition,
        key,
      ]);
    }
  };
  return {
    async get(key) {
      const values = [partition, key];
      const { rows } = await client.query(
        'SELECT row FROM engine_rows WHERE partition = $1 AND key = $2',
        values,
      );
      return rows[0]?.row ?? null;
    },

    async range(index, { from = '', before = null, limit = null } = {}) {
      const values = [index, from, before, partition, limit];
      const { rows } = await client.query(
        `${SELECT} AND partition = $4 ORDER BY place LIMIT $5`,
        values,
      );
      return rows.map(({ row }) => row);
    },

    async put(row: Row) {
      await remove(row.key);
      await client.query('INSERT INTO engine_rows VALUES ($1, $2, $3)', [
        ...[partition, row.key, JSON.stringify(row)],
      ]);
      for (const [index, place] of Object.entries(row.indexes)) {
        const values = [partition, row.key, index, place];
        await client.query('INSERT INTO engine_places VALUES ($1, $2, $3, $4)', values);
      }
    },

    delete: remove,
  };
}
