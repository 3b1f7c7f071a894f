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
])('MysqlFault of %o is classified as %o', (codes, flags) => {
  expect(new MysqlFault(Object.assign(new Error('it says'), codes))).toMatchObject(flags);
});

it.each([
  [{ code: 'ER_SIGNAL_EXCEPTION' }, true],
  [{ code: 'ER_PROCACCESS_DENIED_ERROR' }, true],
  [{ code: 'ER_SP_DOES_NOT_EXIST' }, true],
  [{ code: 'ER_ERROR_DURING_COMMIT' }, false],
  [{ code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, false],
])('MysqlFault of %o has isRejected: %s', (codes, isRejected) => {
  const error = Object.assign(new Error('it says'), codes);
  expect(new MysqlFault(error).isRejected).toBe(isRejected);
});

it('MysqlFault contains only the message of an error', () => {
  const sql = "INSERT INTO latchhook_rows VALUES ('192.0.2.1')";
  const error = Object.assign(new Error('it says'), { sql, sqlMessage: '192.0.2.1' });
  expect(inspect(new MysqlFault(error))).not.toContain('192.0.2.1');
});

it.each(['thrown', null, undefined])('MysqlFault accepts %o as the thrown value', (thrown) => {
  expect(new MysqlFault(thrown).message).toMatch(/^MySQL is unavailable: /);
});
