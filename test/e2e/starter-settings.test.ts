import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokensOf } from '../support/apps/app-client.ts';
import { startWithSharedIssuer } from '../support/apps/start-app.ts';
import { appsOf, rejectionsOf, tryStart } from '../support/apps/try-starter.ts';
import { freePort } from '../support/servers/free-port.ts';

describe('a starter without storage settings', () => {
  it('keeps data in memory if PORT is 0, and runs alongside another starter', async () => {
    const none = { DATA_DIR: '' };
    const apps = appsOf(await Promise.all([tryStart(none), tryStart(none)]));
    expect(apps.map((app) => /^storage: (.+)$/m.exec(app.output())?.[1])).toEqual(
      Array(2).fill('memory (the memory of this process)'),
    );
  });

  it('keeps data in a folder of its port if PORT is fixed', async () => {
    const port = await freePort();
    const folder = fileURLToPath(
      new URL(`../../examples/demo/.latchhook/data/${port}`, import.meta.url),
    );
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = { DATA_DIR: '', PORT: String(port) };
    const before = await startWithSharedIssuer('express-starter', settings);
    const session = tokensOf(await before.client.login('alan@example.com'));
    await before.app.kill9();
    const { app, client } = await startWithSharedIssuer('express-starter', settings);
    expect(app.output()).toContain(`PGlite in ${folder}`);
    expect((await client.me(session.accessToken)).status).toBe(200);
  });
});

describe('a starter with contradictory settings', () => {
  const settings = {
    DATA_DIR: 'memory',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
  };

  it.each([
    ['DATA_DIR', 'DATABASE_URL'],
    ['DATA_DIR', 'REDIS_URL'],
  ] as const)('exits with 1 and names the settings %s and %s', async (one, other) => {
    const started = await tryStart({ [one]: settings[one], [other]: settings[other] });
    expect(rejectionsOf([started])).toEqual([
      expect.stringMatching(new RegExp(`ended with 1 [^]*${one}\\S* and ${other} contradict`)),
    ]);
  });
});
