import { redisStorage } from '@latchhook/redis';
import { expect, it } from 'vitest';
import { startStarter } from '../support/apps/start-starter.ts';
import { connect } from '../support/storage/connect-redis.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';
import { crashBetweenRotationAndAnswer } from './scenarios/crash-app.ts';

it('kill -9 of the app between rotation and response loses no session', async () => {
  const starter = await startStarter('express-starter');
  const { sessions } = redisStorage(connect(starter.redis.url));
  const figures = await crashBetweenRotationAndAnswer(starter, sessions, 100, seededRandom(2));
  reportFigures('kill -9 of the app', figures);
  expect(figures.betweenRotationAndAnswer).toBeGreaterThan(0);
});
