import type { Ability } from '../storage-harness.ts';

/** Of stores that live in this process: nothing disturbs them, and nothing of them is at rest. */
export const IN_PROCESS = {
  disturb: async (): Promise<void> => {},
  dump: async (): Promise<string> => '',
  close: async (): Promise<void> => {},
};

export const ABILITIES: readonly Ability[] = ['disturb', 'dump'];
