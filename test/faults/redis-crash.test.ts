import { it } from 'vitest';
import { startStarter } from '../support/apps/start-starter.ts';
import { reportFigures } from './report-figures.ts';
import { crashRedisUnderLoad } from './scenarios/crash-redis.ts';

it('kill -9 of Redis with appendfsync everysec loses no acknowledged session', async () => {
  const starter = await startStarter('express-starter', {
    redisConfig: { appendonly: 'yes', appendfsync: 'everysec' },
  });
  reportFigures('kill -9 of Redis', await crashRedisUnderLoad(starter, 20, 30));
});
