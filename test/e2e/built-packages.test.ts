import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { spawnApp } from '../support/apps/spawn-app.ts';

// These tests run on the published form of the packages. The other tests run on the sources, and would not notice
// if the bundler left out a module or duplicated one.
it('built packages reject a form that is not UTF-8', async () => {
  const app = await spawnApp('express-starter');
  onTestFinished(() => app.kill9());
  const response = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=ada%40example.com&password=%ff',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: 'invalid_request' });
});

it('built packages share one copy of each class over all entries, imported or required', () => {
  const program = fileURLToPath(new URL('../support/apps/join-built-entries.mjs', import.meta.url));
  const joined = execFileSync(process.execPath, [program], { encoding: 'utf8', stdio: 'pipe' });
  expect(JSON.parse(joined)).toEqual({
    rejections: { adapter: true, delivery: true, storage: true },
    required: { core: true, adapter: true, delivery: true, storage: true },
    warnings: ['LATCHHOOK_STORAGE'],
  });
});

it('built packages contain no import.meta, so that Jest can compile them to CommonJS', () => {
  const packages = new URL('../../packages/', import.meta.url);
  const modules = readdirSync(packages).flatMap((name) => {
    const bundle = new URL(`${name}/dist/bundle/`, packages);
    const files = readdirSync(bundle).filter((file) => file.endsWith('.js'));
    return files.map((file) => fileURLToPath(new URL(file, bundle)));
  });
  expect(modules).not.toEqual([]);
  const asking = modules.filter((file) => /\bimport\.meta\b/.test(readFileSync(file, 'utf8')));
  expect(asking).toEqual([]);
});
