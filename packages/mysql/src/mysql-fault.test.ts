import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { MysqlFault } from './mysql-fault.ts';

it.each([
  [{ code: 'ER_LOCK_DEADLOCK' }, { isConflict: true, isConnectionLost: false }],
  [{ code: 'ER_LOCK_WAIT_TIMEOUT' }, { isConflict: true, isConnectionLost: false }],
  [
    { code: 'PROTOCOL_CONNECTION_LOST', fatal: true },
    { isConflict: false, isConnectionLost: true },
  ],
  [{ code: 'ER_DUP_ENTRY' }, { isConflict: false, isConnectionLost: false }],
])('says whether the same may be tried again: %o', (codes, flags) => {
  expect(new MysqlFault(Object.assign(new Error('it says'), codes))).toMatchObject(flags);
});

it('keeps the message alone', () => {
  const sql = "INSERT INTO latchhook_rows VALUES ('192.0.2.1')";
  const error = Object.assign(new Error('it says'), { sql, sqlMessage: '192.0.2.1' });
  expect(inspect(new MysqlFault(error))).not.toContain('192.0.2.1');
});

it.each(['thrown', null, undefined])('takes whatever is thrown: %o', (thrown) => {
  expect(new MysqlFault(thrown).message).toMatch(/^MySQL is unavailable: /);
});
