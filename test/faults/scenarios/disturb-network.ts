import { setTimeout as elapsed } from 'node:timers/promises';
import type { TcpProxy } from '../../support/servers/tcp-proxy.ts';

export interface Disturbance {
  readonly count: number;
}

const QUIET_MS = [300, 1_500] as const;
const FAULT_MS = [100, 2_500] as const;

/** Causes faults of random kinds and lengths, one after the other, until `stop` is aborted. */
export async function disturbNetwork(
  proxy: TcpProxy,
  random: () => number,
  stop: AbortSignal,
): Promise<Disturbance> {
  const between = ([least, most]: readonly [number, number]) => least + random() * (most - least);
  const faults = [
    () => proxy.blackhole(),
    () => proxy.dropReplies(),
    () => proxy.delay(between([20, 400])),
    () => proxy.reject(),
    async () => proxy.reset(),
  ];
  let count = 0;
  while (!stop.aborted) {
    await elapsed(between(QUIET_MS));
    await faults[Math.floor(random() * faults.length)]?.();
    count += 1;
    await elapsed(between(FAULT_MS));
    await proxy.pass();
  }
  return { count };
}
