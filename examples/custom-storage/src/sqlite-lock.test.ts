import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type NewLogin, type Storage, StorageUnavailableError } from '@latchhook/core/storage';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStorage } from './sqlite-storage.ts';

const LIMITS = { maxPerUser: 10 };

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'auth.db');
}

async function openOn(file: string, nowMs: () => number = Date.now): Promise<Storage> {
  const storage = await openSqliteStorage({ file, clock: { nowMs }, synchronous: 'NORMAL' });
  onTestFinished(() => storage.close());
  return storage;
}

/** A connection that holds the lock, like another process that is slow to commit. */
function lockOf(file: string): Database.Database {
  const other = new Database(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  return other;
}

function newLogin(sessionId: string, userId = 'ada'): NewLogin {
  return {
    userId,
    sessionId,
    scopes: ['user'],
    accountId: null,
    amr: ['pwd'],
    authTimeMs: 1_700_000_000_000,
    clientAddress: null,
    userAgent: null,
    idleMs: 60_000,
    absoluteMs: 60_000,
    authenticationMs: 0,
  };
}

it('goes on serving while somebody else has the lock, and acts when it is free', async () => {
  const file = await newFile();
  const { sessions } = await openOn(file);
  const other = lockOf(file);
  const created = sessions.create(newLogin('s1'), LIMITS);
  await pause(20);
  expect(await sessions.list('ada')).toEqual([]);
  other.exec('COMMIT');
  expect(await created).toMatchObject({ outcome: 'created' });
});

it('gives up after a second, and does not act later', async () => {
  const file = await newFile();
  const { sessions } = await openOn(file);
  const other = lockOf(file);
  await expect(sessions.create(newLogin('s1'), LIMITS)).rejects.toThrow(StorageUnavailableError);
  other.exec('COMMIT');
  await sessions.create(newLogin('s2'), LIMITS);
  const listed = await sessions.list('ada');
  expect(listed.map(({ sessionId }) => sessionId)).toEqual(['s2']);
});

it('supersedes a login that waits for the lock behind a revocation of all', async () => {
  const file = await newFile();
  let nowMs = 1_800_000_000_000;
  const { sessions } = await openOn(file, () => nowMs);
  const other = lockOf(file);
  const revoked = sessions.revokeAll('ada').then(() => {
    nowMs += 10;
  });
  const created = sessions.create(newLogin('s1'), LIMITS);
  nowMs += 10;
  other.exec('COMMIT');
  await revoked;
  expect(await created).toEqual({ outcome: 'superseded' });
});

it('keeps apart users whose ids differ in a lone surrogate', async () => {
  const { sessions } = await openOn(await newFile());
  await sessions.create(newLogin('s1', 'ada \ud800'), LIMITS);
  expect(await sessions.list('ada \ud801')).toEqual([]);
  expect(await sessions.list('ada \ud800')).toMatchObject([{ userId: 'ada \ud800' }]);
});

it('forgets what has ended as fast as more comes', async () => {
  const file = await newFile();
  let nowMs = 1_800_000_000_000;
  const { sessions } = await openOn(file, () => nowMs);
  for (let nth = 0; nth < 200; nth += 1) {
    await sessions.create(newLogin(`s${nth}`, `user ${nth}`), LIMITS);
    nowMs += 6000;
  }
  const other = new Database(file);
  onTestFinished(() => void other.close());
  expect(other.prepare('SELECT count(*) AS count FROM items').get()).toMatchObject({ count: 20 });
});

it('refuses calls when it is closed', async () => {
  const storage = await openSqliteStorage({ file: await newFile() });
  storage.close();
  await expect(storage.sessions.list('ada')).rejects.toThrow(StorageUnavailableError);
  await expect(storage.sessions.revokeAll('ada')).rejects.toThrow(StorageUnavailableError);
});
