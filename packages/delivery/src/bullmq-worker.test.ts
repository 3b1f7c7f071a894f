import * as bullmq from 'bullmq';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { createBullmqWorker } from './bullmq-worker.ts';
import { type ScriptedParts, scheduled, scriptedParts } from './scripted-parts.test.support.ts';

type Work = (job: unknown, token: string) => Promise<string>;

/** What becomes of a job that a worker has fetched. */
function worked(parts: ScriptedParts, isClosing: boolean): Promise<string> {
  let work: Work = () => Promise.reject(new Error('it was given no work'));
  /** Fetches nothing by itself. */
  class IdleWorker {
    constructor(_name: string, processor: Work) {
      work = processor;
    }

    on(): void {}
  }
  createBullmqWorker({ ...bullmq, Worker: IdleWorker as unknown as typeof bullmq.Worker }, parts, {
    queueName: 'q',
    prefix: 'p',
    connection: new Redis({ lazyConnect: true }),
    concurrency: 1,
    keepDead: 0,
    isClosing: () => isClosing,
  });
  return work({ data: scheduled('msg_1'), moveToDelayed: async () => {} }, 'token');
}

it('leaves a job to others that it had fetched as it began to close', async () => {
  const parts = scriptedParts();
  await expect(worked(parts, true)).rejects.toThrow(bullmq.DelayedError);
  expect(parts.calls).toEqual([]);
  expect(await worked(parts, false)).toBe('delivered');
});
