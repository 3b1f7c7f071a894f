import type { Ability } from '../storage-harness.ts';

/** The optional methods of a storage in memory, which no disturbance affects and which has nothing at rest. */
export const IN_PROCESS = {
  disturb: async (): Promise<void> => {},
  dump: async (): Promise<string> => '',
  close: async (): Promise<void> => {},
};

export const ABILITIES: readonly Ability[] = ['disturb', 'dump'];
