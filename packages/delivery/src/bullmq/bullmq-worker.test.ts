import * as bullmq from 'bullmq';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import {
  answered,
  type ScriptedDeps,
  scheduled,
  scriptedDeps,
} from '../runs/scripted-deps.test.support.ts';
import { createBullmqWorker } from './bullmq-worker.ts';

type Work = (job: unknown, token: string) => Promise<string>;
type Backoff = (attempts: number, type: string, error: unknown) => number;

/** What a worker does with a job that it has fetched, and for how long one waits that has failed. */
function workOf(deps: ScriptedDeps, isClosing = false): { work: Work; backoff: Backoff } {
  const given: { work?: Work; backoff?: Backoff } = {};
  /** Fetches nothing by itself. */
  class IdleWorker {
    constructor(
      _name: string,
      processor: Work,
      { settings }: { readonly settings: { readonly backoffStrategy: Backoff } },
    ) {
      given.work = processor;
      given.backoff = settings.backoffStrategy;
    }

    on(): void {}
  }
  createBullmqWorker({ ...bullmq, Worker: IdleWorker as unknown as typeof bullmq.Worker }, deps, {
    queueName: 'q',
    prefix: 'p',
    connection: new Redis({ lazyConnect: true }),
    concurrency: 1,
    keepDead: 0,
    isClosing: () => isClosing,
  });
  const { work, backoff } = given;
  if (work === undefined || backoff === undefined) throw new Error('there is no worker');
  return { work, backoff };
}

function worked(deps: ScriptedDeps, isClosing: boolean): Promise<string> {
  const job = { data: scheduled('msg_1'), moveToDelayed: async () => {} };
  return workOf(deps, isClosing).work(job, 'token');
}

it('leaves a job to others that it had fetched as it began to close', async () => {
  const deps = scriptedDeps();
  await expect(worked(deps, true)).rejects.toThrow(bullmq.DelayedError);
  expect(deps.calls).toEqual([]);
  expect(await worked(deps, false)).toBe('delivered');
});

it.each([
  { saysMs: 20_000, waitsMs: 19_950 },
  // A job of a webhook that is removed meanwhile is gone by then.
  { saysMs: 36_000_000, waitsMs: 3_600_000 },
])('has what failed wait in the queue until it is time, and for an hour at most', async (delay) => {
  const send = async () => ({ ...answered(503), retryAfterMs: delay.saysMs });
  const { work, backoff } = workOf({ ...scriptedDeps({ send }), random: () => 0 });
  const error: unknown = await work({ data: scheduled('msg_1') }, 'token').catch((it) => it);
  expect(error).toMatchObject({ delayMs: delay.saysMs });
  expect(backoff(1, 'latchhook', error)).toBe(delay.waitsMs);
});
