import { type MysqlPool, mysqlEngine, mysqlStorage } from '@latchhook/mysql';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { sqliteEngine, sqliteStorage } from '@latchhook/sqlite';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';

const database = { exec: () => {}, prepare: () => expect.fail() };
const pool: MysqlPool = { getConnection: () => expect.fail() };
const redis = new Redis({ lazyConnect: true });
const makers: [name: string, make: (options: { deadlineMs: number }) => unknown][] = [
  ['redisStorage', (options) => redisStorage(redis, options)],
  ['postgresStorage', (options) => postgresStorage(new Pool(), options)],
  ['mysqlStorage', (options) => mysqlStorage({ pool, ...options })],
  ['mysqlEngine', (options) => mysqlEngine({ pool, ...options })],
  ['sqliteEngine', (options) => sqliteEngine({ database, ...options })],
  ['sqliteStorage', (options) => sqliteStorage({ database, ...options })],
];

describe.each(makers)('%s', (name, make) => {
  it.each([0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, '1000', null])(
    'rejects a deadlineMs of %o with option_out_of_bounds',
    (deadlineMs) => {
      expect(() => make({ deadlineMs: deadlineMs as number })).toThrow(
        `${name}.deadlineMs must be an integer from 1 [option_out_of_bounds]`,
      );
    },
  );
});
