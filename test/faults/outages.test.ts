import { describe, it } from 'vitest';
import { startStarter } from '../support/apps/start-starter.ts';
import { reportFigures } from './report-figures.ts';
import { BLACK_HOLE, OUTAGE_REDIS_CONFIG, OUTAGES } from './scenarios/outages.ts';
import { surviveOutage } from './scenarios/survive-outage.ts';

const redisConfig = OUTAGE_REDIS_CONFIG;

describe.each(['express-starter', 'koa-starter'] as const)('%s', (name) => {
  it.each(OUTAGES.map((one) => [one.name, one] as const))(
    'responds with 503 in time, issues nothing and logs nobody out while Redis is %s',
    async (_, outage) => {
      const starter = await startStarter(name, { redisConfig });
      const figures = await surviveOutage(starter, outage, 10_000);
      reportFigures(`${name}, ${outage.name} for 10 s`, figures);
    },
  );
});

describe('an app whose Redis was unavailable for longer than the grace', () => {
  it('has rotated no token for clients that gave up', async () => {
    const starter = await startStarter('express-starter', { redisConfig });
    const figures = await surviveOutage(starter, BLACK_HOLE, 70_000);
    reportFigures('black-holed for 70 s', figures);
  });
});
