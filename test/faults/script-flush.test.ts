import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { tokensOf } from '../support/apps/app-client.ts';
import { startStarter } from '../support/apps/start-starter.ts';
import { logInMany } from '../support/clients/log-in-many.ts';
import { reportFigures } from './report-figures.ts';

const SESSIONS = 8;
const ROTATIONS_EACH = 100;

it('refreshes succeed while the script cache of Redis is flushed', async () => {
  const { client, redis } = await startStarter('koa-starter');
  const admin = new Redis(redis.url);
  const sessions = await logInMany(client, 'ada@example.com', SESSIONS);
  const statuses: number[] = [];
  let flushes = 0;
  await Promise.all(
    sessions.map(async ({ refreshToken }) => {
      let newest = refreshToken;
      for (let rotation = 0; rotation < ROTATIONS_EACH; rotation += 1) {
        const response = await client.refresh(newest);
        statuses.push(response.status);
        newest = tokensOf(response).refreshToken;
        if (rotation % SESSIONS !== 0) continue;
        await admin.script('FLUSH');
        flushes += 1;
      }
    }),
  );
  admin.disconnect();
  reportFigures('SCRIPT FLUSH', { refreshes: statuses.length, flushes });
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});
