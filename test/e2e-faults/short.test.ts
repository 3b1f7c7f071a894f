import { redisStorage } from '@latchhook/redis';
import { expect, it } from 'vitest';
import { crashBetweenRotationAndAnswer } from '../faults/scenarios/crash-app.ts';
import { BLACK_HOLE, LOST_REPLIES } from '../faults/scenarios/outages.ts';
import { surviveOutage } from '../faults/scenarios/survive-outage.ts';
import { startStarter } from '../support/apps/start-starter.ts';
import { connect } from '../support/storage/connect-redis.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';

// The quickest of `test/faults`, so that a change that breaks the others is noticed immediately.

it('an app responds with 503 in time while Redis is black-holed, and keeps all sessions', async () => {
  const { responses } = await surviveOutage(await startStarter('express-starter'), BLACK_HOLE, 500);
  expect(responses).toBeGreaterThan(0);
});

it('a refresh whose response was lost gets the same successor on retry', async () => {
  const { responses } = await surviveOutage(await startStarter('koa-starter'), LOST_REPLIES, 500);
  expect(responses).toBeGreaterThan(0);
});

it('kill -9 of the app loses no session', async () => {
  const starter = await startStarter('express-starter');
  const { sessions } = redisStorage(connect(starter.redis.url));
  const figures = await crashBetweenRotationAndAnswer(starter, sessions, 2, seededRandom(1));
  expect(figures).toMatchObject({ retriesRejected: 0 });
});
