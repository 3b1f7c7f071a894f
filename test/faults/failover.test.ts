import { describe, it } from 'vitest';
import { startStarter } from '../support/apps/start-starter.ts';
import { reportFigures } from './report-figures.ts';
import { failOverToLaggingReplica } from './scenarios/fail-over.ts';

describe('failover to a lagging replica', () => {
  it.each(['killed', 'demoted'] as const)(
    'logs nobody out if the old master is %s',
    async (oldMaster) => {
      const starter = await startStarter('express-starter', {
        redisConfig: { 'repl-diskless-sync-delay': '0' },
      });
      const figures = await failOverToLaggingReplica(starter, oldMaster, 50);
      reportFigures(`failover, old master ${oldMaster}`, figures);
    },
  );
});
