import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { StartFailure, spawnApp } from '../support/apps/spawn-app.ts';
import { ISSUER, startApp } from '../support/apps/start-app.ts';
import { freePort, listenOnFreePort } from '../support/servers/free-port.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';

/** The output and the exit of a starter that fails to start. */
async function rejectionOf(env: Readonly<Record<string, string>>): Promise<string> {
  const started: unknown = await spawnApp('express-starter', { env }).catch((error) => error);
  if (!(started instanceof StartFailure)) throw started;
  return started.report;
}

/** Hooks by which neither `import` nor `require` finds argon2, as in a bundle. */
const WITHOUT_ARGON2 = `--import data:text/javascript,${encodeURIComponent(`
  import Module, { register } from 'node:module';
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, ...others) {
    if (request === 'argon2') throw new Error('No native build was found');
    return resolve.call(this, request, ...others);
  };
  register('data:text/javascript,' + encodeURIComponent(\`
    export function resolve(specifier, context, next) {
      if (specifier === 'argon2') throw new Error('No native build was found');
      return next(specifier, context);
    }
  \`));
`)}`;

it('a starter without the argon2 binary exits with 1 and one error', async () => {
  const rejection = await rejectionOf({ NODE_OPTIONS: WITHOUT_ARGON2 });
  expect(rejection).toContain('ended with 1');
  expect(rejection).toContain('[argon2_unavailable]');
  expect(rejection).not.toContain('listening on http');
});

it('a starter whose Redis is down exits with 1 and one error', async () => {
  const rejection = await rejectionOf({ REDIS_URL: 'redis://127.0.0.1:1', ISSUER });
  expect(rejection).toContain('ended with 1');
  expect(rejection).toContain('[storage_unavailable]');
  expect(rejection.match(/not ready/g)).toHaveLength(1);
});

it('a starter responds with 503 while it waits for its Redis', async () => {
  const silent = createServer();
  const redisPort = await listenOnFreePort(silent);
  onTestFinished(() => void silent.close());
  const port = await freePort();
  const env = { PORT: String(port), REDIS_URL: `redis://127.0.0.1:${redisPort}`, ISSUER };
  const rejection = rejectionOf(env);
  const request = () =>
    fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`).then(
      async (response) => [response.status, response.headers.get('retry-after')],
      () => 'not listening',
    );
  await expect.poll(request, { interval: 10 }).toEqual([503, '1']);
  expect(await rejection).toContain('[storage_unavailable]');
});

it('a starter exits if its ISSUER is not that of the data in Redis, unless ISSUER is not set', async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.stop());
  const env = { REDIS_URL: redis.url };
  const { app } = await startApp('express-starter', { ...env, ISSUER });
  await startApp('koa-starter', { ...env, ISSUER });
  const other = { ...env, ISSUER: 'https://other.example.com' };
  expect(await rejectionOf(other)).toContain('[issuer_differs]');
  await startApp('express-starter', env);
  await app.stop();
});
