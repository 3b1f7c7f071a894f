import { describe, expect, it } from 'vitest';
import { spawnApp } from './spawn-app.ts';

describe.each(['express-starter', 'koa-starter'])('spawnApp: %s', (name) => {
  it('starts an app that responds at its printed address and stops cleanly', async () => {
    const app = await spawnApp(name);
    const response = await fetch(`${app.url}/.well-known/jwks.json`);
    expect(response.status).toBe(200);
    await response.body?.cancel();

    await app.stop();
    await expect(fetch(app.url)).rejects.toThrow('fetch failed');
  });

  it('reports a SIGKILL as an unclean stop', async () => {
    const app = await spawnApp(name);
    await app.kill9();
    await expect(fetch(app.url)).rejects.toThrow('fetch failed');
    await expect(app.stop()).rejects.toThrow('SIGKILL');
  });
});

describe('spawnApp', () => {
  it('rejects with the output of an app that does not start', async () => {
    await expect(spawnApp('express-starter', { env: { PORT: 'nonsense' } })).rejects.toThrow(
      /did not start.*PORT is "nonsense"/s,
    );
  });

  it('rejects with a hint at the build if the app is not built', async () => {
    await expect(spawnApp('no-starter')).rejects.toThrow('run pnpm build');
  });
});
