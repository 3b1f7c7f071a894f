import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '@latchhook/example-demo';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectApp, tokensOf } from '../support/apps/app-client.ts';
import { preparedFolder } from '../support/apps/prepared-folder.ts';
import { spawnApp } from '../support/apps/spawn-app.ts';
import { type Settings, startWithSharedIssuer } from '../support/apps/start-app.ts';
import { appsOf, rejectionsOf, tryStart } from '../support/apps/try-starter.ts';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';

const openFolder = preparedFolder();

async function openNewFolder(): Promise<Settings> {
  return { DATA_DIR: join(await temporaryFolder(), 'data') };
}

describe('a data folder', () => {
  it('is opened by one of two concurrent starters, even after the starter that had opened it was killed', async () => {
    const settings = await openFolder();
    const first = await Promise.all([tryStart(settings), tryStart(settings)]);
    const [winner] = appsOf(first);
    expect(appsOf(first)).toHaveLength(1);
    const [rejection] = rejectionsOf(first);
    expect(rejection).toContain('ended with 1 ');
    expect(rejection).toContain(
      `${settings['DATA_DIR']} is in use by process ${winner?.processId}`,
    );

    const client = connectApp(winner?.url ?? '');
    onTestFinished(() => client.close());
    const session = tokensOf(await client.login('alan@example.com'));
    await winner?.kill9();
    const second = await Promise.all([tryStart(settings), tryStart(settings)]);
    const [successor] = appsOf(second);
    expect([appsOf(second).length, rejectionsOf(second).length]).toEqual([1, 1]);
    const after = connectApp(successor?.url ?? '');
    onTestFinished(() => after.close());
    expect((await after.me(session.accessToken)).status).toBe(200);
  });

  it('is closed once if its starter gets two signals', async () => {
    const app = await spawnApp('express-starter', { env: await openFolder() });
    onTestFinished(() => app.kill9());
    process.kill(app.processId, 'SIGINT');
    // This sends SIGTERM too. A second attempt to close the folder would print this error.
    await app.stop();
    expect(app.output()).not.toContain('PGlite is closed');
  });

  it('is usable after a starter was killed while it created the database', async () => {
    const settings = await openNewFolder();
    const database = join(settings['DATA_DIR'] ?? '', 'pglite');
    const starting = tryStart(settings);
    await expect.poll(() => existsSync(`${database}.draft`), { interval: 5 }).toBe(true);
    const [, maker] = /^(\d+) /.exec(await readFile(join(database, '..', 'lock.1'), 'utf8')) ?? [];
    process.kill(Number(maker), 'SIGKILL');
    expect(rejectionsOf([await starting])).toEqual([expect.stringContaining('ended with SIGKILL')]);
    expect(existsSync(database)).toBe(false);

    const { client } = await startWithSharedIssuer('express-starter', settings);
    tokensOf(await client.login('alan@example.com'));
  });
});

it('a starter rejects an invalid ISSUER in one line and releases its folder', async () => {
  const settings = await openFolder();
  const [rejection] = rejectionsOf([await tryStart({ ...settings, ISSUER: 'api.example.com' })]);
  expect(rejection).toMatch(
    /ended with 1 .*\nThe issuer would be "api.example.com". Set ISSUER.*\n$/,
  );
  expect(lockFolder(settings['DATA_DIR'] ?? '')).toEqual({ outcome: 'locked' });
});
