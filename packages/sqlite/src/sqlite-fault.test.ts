import { expect, it } from 'vitest';
import { sqliteFault } from './sqlite-fault.ts';

it.each([
  ['better-sqlite3', { code: 'SQLITE_BUSY' }, true],
  ['better-sqlite3, with an extended code', { code: 'SQLITE_BUSY_SNAPSHOT' }, true],
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 5 }, true],
  ['node:sqlite, with an extended code', { code: 'ERR_SQLITE_ERROR', errcode: 517 }, true],
  ['a disk that is full', { code: 'SQLITE_FULL' }, false],
  ['a disk that is full, of node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, false],
])('sqliteFault reports only locks as busy: %s', (_, codes, isBusy) => {
  const fault = sqliteFault(Object.assign(new Error('it says'), codes));
  expect(fault.isBusy).toBe(isBusy);
  expect(fault.message).toBe('SQLite is unavailable: it says.');
});

it.each(['thrown', null, undefined])('sqliteFault accepts any thrown value: %o', (thrown) => {
  expect(sqliteFault(thrown)).toMatchObject({ isBusy: false });
});
