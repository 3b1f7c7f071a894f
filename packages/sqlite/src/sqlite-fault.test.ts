import { expect, it } from 'vitest';
import { sqliteFault } from './sqlite-fault.ts';

it.each([
  ['a lock in better-sqlite3', { code: 'SQLITE_BUSY' }, true],
  ['a lock in better-sqlite3 with an extended code', { code: 'SQLITE_BUSY_SNAPSHOT' }, true],
  ['a lock in node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 5 }, true],
  ['a lock in node:sqlite with an extended code', { code: 'ERR_SQLITE_ERROR', errcode: 517 }, true],
  ['a full disk in better-sqlite3', { code: 'SQLITE_FULL' }, false],
  ['a full disk in node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, false],
])('sqliteFault of %s with %o has isBusy: %s', (_, codes, isBusy) => {
  const fault = sqliteFault(Object.assign(new Error('it says'), codes));
  expect(fault.isBusy).toBe(isBusy);
  expect(fault.message).toBe('SQLite is unavailable: it says.');
});

it.each(['thrown', null, undefined])('sqliteFault accepts %o as the thrown value', (thrown) => {
  expect(sqliteFault(thrown)).toMatchObject({ isBusy: false });
});
