import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { outputLine } from '../support/apps/output-line.ts';
import { type ProcessGroup, startProcessGroup } from '../support/apps/process-group.ts';
import type { DeliveryScene } from './delivery-scene.ts';

const MAIN = fileURLToPath(new URL('./worker-process.mjs', import.meta.url));

interface Call {
  readonly call: number;
  readonly method: 'start' | 'finish' | 'overdue';
  readonly argument: never;
}

/** Starts a worker of the scene in a process of its own, on the built packages, for the length of the test. */
export async function spawnWorkerProcess(
  { deliveries, context }: DeliveryScene,
  { queueName }: { queueName: string },
): Promise<ProcessGroup> {
  const group = await startProcessGroup(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'],
      REDIS_URL: inject('redisUrl'),
      QUEUE_NAME: queueName,
      POLICY: JSON.stringify(context.policy),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => group.kill9());
  group.child.on('message', async ({ call, method, argument }: Call) => {
    const answer = await deliveries[method](argument);
    // It may have been killed since its call.
    if (group.child.connected) group.child.send({ call, answer }, () => {});
  });
  await outputLine(group.child, /ready/);
  return group;
}
