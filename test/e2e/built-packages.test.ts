import { expect, it, onTestFinished } from 'vitest';
import { spawnApp } from '../support/spawn-app.ts';

// Starters run on the packages as they are published. The other tests run on the sources, and cannot see what the
// bundler has left out.
it('refuses a form that is not UTF-8 as the sources do', async () => {
  const app = await spawnApp('express-starter');
  onTestFinished(() => app.kill9());
  const answer = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=ada%40example.com&password=%ff',
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
});
