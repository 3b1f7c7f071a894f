import type { ScheduledDelivery } from '@latchhook/core/storage';
import {
  type Script,
  type ScriptedDeps,
  scheduled,
  scriptedDeps,
} from '../runs/scripted-deps.test.support.ts';
import { LocalRuns } from './local-runs.ts';

export interface RunsScene {
  readonly deps: ScriptedDeps;
  readonly runs: LocalRuns;
  readonly putBack: ScheduledDelivery[];
}

export function runsOf(width: number, script: Script = {}): RunsScene {
  return runsOver(scriptedDeps(script), width);
}

export function runsOver<Deps extends ScriptedDeps>(deps: Deps, width: number) {
  const putBack: ScheduledDelivery[] = [];
  const runs = new LocalRuns(deps, width, async (left) => void putBack.push(...left));
  return { deps, runs, putBack };
}

export const ofOtherWebhook = (id: string, delayMs = 0): ScheduledDelivery => ({
  ...scheduled(id, delayMs),
  accountId: 2,
  webhookId: 'wh_2',
});

/** No line of another holds it, but its account has only so many slots. */
export const ofOwnWebhook = (id: string): ScheduledDelivery => ({
  ...scheduled(id),
  webhookId: `wh_of_${id}`,
});

/** Has all go on that waits for nothing but promises: the store, the queue and the receiver of a script do not. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
