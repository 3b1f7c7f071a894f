import { originOf } from '@latchhook/core/storage';
import { sqliteStorage } from '@latchhook/sqlite';
import { turnableClock } from '@latchhook/testkit';
import { describe, it } from 'vitest';
import { openDatabase } from '../mysql/open-database.ts';
import { migratedFile } from '../sqlite/open-file.ts';
import { HAS_MYSQL } from '../support/servers/mysql-databases.ts';
import { enrol, newToken } from '../support/storage/credential-samples.ts';
import { AMPLE_LIMITS, newChallenge, newSession } from '../support/storage/login-samples.ts';
import { expectListed } from './expect-listed.ts';
import { formOf } from './form-of.ts';

const SQLITE = `
What is in SQLite

The tables, and then what core keeps in \`latchhook_rows\`: for each form of a value the indexes that such a row is in.
\`{a, b}\` is JSON with these names. MySQL has the same rows. A test writes this list, by \`-u\`: see
docs/guides/upgrading.md.
`;

const MYSQL = `
What is in MySQL and MariaDB

Each table with its columns and their types, its indexes with their columns, and the procedures. The rows are those of
sqlite.txt. A test writes this list, by \`-u\`: see docs/guides/upgrading.md.
`;

const COLUMNS = `SELECT CONCAT(table_name, '.', column_name, ' ', data_type,
    COALESCE(CONCAT('(', character_maximum_length, ') ', collation_name), ''),
    IF(is_nullable = 'YES', '', ' NOT NULL')) AS line
  FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`;
const INDEXES = `SELECT CONCAT(table_name, ' ', index_name, ' (',
    GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', '), ')') AS line
  FROM information_schema.statistics WHERE table_schema = DATABASE()
  GROUP BY table_name, index_name ORDER BY table_name, index_name`;
const PROCEDURES = `SELECT CONCAT(routine_name, ' (', GROUP_CONCAT(parameter_name ORDER BY ordinal_position
    SEPARATOR ', '), ')') AS line
  FROM information_schema.routines JOIN information_schema.parameters USING (specific_name)
  WHERE routine_schema = DATABASE() AND specific_schema = DATABASE() GROUP BY routine_name ORDER BY routine_name`;

describe('the tables and rows in SQLite', () => {
  it('match the recorded formats', async () => {
    const database = (await migratedFile()).open();
    const storage = sqliteStorage({ database, clock: turnableClock() });
    await storage.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await storage.sessions.revokeAll('user-eve');
    await storage.challenges.create(newChallenge('c1'));
    await storage.challenges.unlock('user-eve');
    await storage.personalAccessTokens.create(newToken('t1'), AMPLE_LIMITS);
    await enrol(storage.mfa, 'user-eve');
    await enrol(storage.mfa);
    await storage.mfa.begin('user-bob', {
      sessionId: 's1',
      enrolmentId: 'e2',
      encryptedSecret: 'encrypted-1',
      ttlMs: 600_000,
    });
    await originOf(storage.sessions)?.startup?.join({
      instanceId: 'i1',
      configuration: '{"issuer":"..."}',
      ttlMs: 60_000,
    });
    await storage.limiters({ keyPrefix: 'logins', duration: 60 }).penalty('counted');
    const tables = database
      .prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name')
      .all()
      .map((row) => String(Object.values(Object(row))[0]));
    const rows = database
      .prepare('SELECT value, indexes FROM latchhook_rows')
      .all()
      .map((row) => Object.values(Object(row)).map(String))
      .map(([value = '', indexes = '']) => {
        const names = Object.keys(JSON.parse(indexes)).join(', ');
        return `${formOf(value)}${names === '' ? '' : ` in ${names}`}`;
      });
    const list = [...tables, ...[...new Set(rows)].sort()];
    await expectListed('sqlite.txt', SQLITE, list.join('\n\n'));
  });
});

describe.skipIf(!HAS_MYSQL)('the tables in MySQL', () => {
  it('match the recorded formats', async () => {
    const pool = (await openDatabase())();
    const lines: string[] = [];
    for (const sql of [COLUMNS, INDEXES, PROCEDURES]) {
      const [rows] = await pool.query({ sql, rowsAsArray: true });
      lines.push(...(rows as string[][]).flat());
    }
    await expectListed('mysql.txt', MYSQL, lines.join('\n'));
  });
});
