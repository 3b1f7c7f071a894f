import { systemClock } from '@latchhook/core';
import { memoryEngine, type StorageEngine } from '@latchhook/core/storage';
import type { EngineHarness } from '../engine/engine-harness.ts';

/** The reference, with faults by `change`. A disturbance breaks the connections that are in use. */
export function engineHarness(
  change: (reference: StorageEngine) => StorageEngine = (reference) => reference,
): EngineHarness {
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
            const disturbancesAtStart = disturbances;
            const result = await work(rows, nowMs);
            if (disturbances !== disturbancesAtStart) throw new Error('the connection is lost');
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
