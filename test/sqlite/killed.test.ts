import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sqliteStorage } from '@latchhook/sqlite';
import { expect, it } from 'vitest';
import { ADA, AMPLE_LIMITS, newSession } from '../support/storage/login-samples.ts';
import { migratedFile } from './open-file.ts';

const program = fileURLToPath(new URL('killed-process.mjs', import.meta.url));

it('kill -9 during a transaction on SQLite rolls back that transaction only', async () => {
  const file = await migratedFile();
  // Without the export condition of the tests, the process runs the built packages.
  const child = spawn(process.execPath, [program, file.path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify([newSession('s1'), newSession('s2')]));
  child.stdout.resume();
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  const { sessions } = sqliteStorage({ database: file.open() });
  const ids = async () => (await sessions.list(ADA)).map(({ sessionId }) => sessionId);
  expect(await ids()).toEqual(['s1']);
  await sessions.create(newSession('s2'), AMPLE_LIMITS);
  expect(await ids()).toEqual(['s2', 's1']);
});
