import { resolveSweep, type SweepOptions } from '../intake/sweep-options.ts';
import {
  type Script,
  type ScriptedDeps,
  scriptedDeps,
} from '../runs/scripted-deps.test.support.ts';
import { InProcessQueue } from './in-process-queue.ts';

export function queueOf(
  script: Script = {},
  concurrency = 100,
  sweep: SweepOptions = {},
): { deps: ScriptedDeps; queue: InProcessQueue } {
  const deps = scriptedDeps(script);
  return {
    deps,
    queue: new InProcessQueue(deps, {
      concurrency,
      sweep: resolveSweep('sweep', sweep),
    }),
  };
}
