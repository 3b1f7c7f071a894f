import { describe, expect, it } from 'vitest';
import { spawnApp } from './spawn-app.ts';

describe.each(['express-starter', 'koa-starter'])('spawnApp: %s', (name) => {
  it('answers at the address that it printed, and stops cleanly', async () => {
    const app = await spawnApp(name);
    const response = await fetch(`${app.url}/.well-known/jwks.json`);
    expect(response.status).toBe(200);
    await response.body?.cancel();

    await app.stop();
    await expect(fetch(app.url)).rejects.toThrow('fetch failed');
  });

  it('is gone at once after a SIGKILL, which does not count as a clean stop', async () => {
    const app = await spawnApp(name);
    await app.kill9();
    await expect(fetch(app.url)).rejects.toThrow('fetch failed');
    await expect(app.stop()).rejects.toThrow('SIGKILL');
  });
});

describe('spawnApp', () => {
  it('shows what the app printed when it does not come up', async () => {
    await expect(spawnApp('express-starter', { env: { PORT: 'nonsense' } })).rejects.toThrow(
      /did not start.*PORT is "nonsense"/s,
    );
  });

  it('asks for a build where there is none', async () => {
    await expect(spawnApp('no-starter')).rejects.toThrow('run pnpm build');
  });
});
