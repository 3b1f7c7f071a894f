import { systemClock } from '@latchhook/core';
import { memoryEngine, type StorageEngine } from '@latchhook/core/storage';
import type { EngineHarness } from '../engine/engine-harness.ts';

/** Engines derived from the reference, whose connections break when they are disturbed. */
export function enginesThat(change: (sound: StorageEngine) => StorageEngine): EngineHarness {
  return {
    abilities: ['disturb'],
    async open({ clock = systemClock }) {
      const engine = memoryEngine(clock);
      let disturbances = 0;
      const connection: StorageEngine = {
        name: engine.name,
        now: () => engine.now(),
        find: (index, request) => engine.find(index, request),
        transact: (partition, work) =>
          engine.transact(partition, async (rows, nowMs) => {
            const before = disturbances;
            const result = await work(rows, nowMs);
            if (disturbances !== before) throw new Error('the connection is lost');
            return result;
          }),
      };
      return {
        connect: () => change(connection),
        disturb: async () => {
          disturbances += 1;
        },
        close: async () => {},
      };
    },
  };
}
