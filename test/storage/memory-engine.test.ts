import { systemClock } from '@latchhook/core';
import { memoryEngine } from '@latchhook/core/storage';
import type { EngineHarness } from '@latchhook/testkit';
import { describe } from 'vitest';
import { certifyEngineStorage } from '../support/storage/certify-engine-storage.ts';

const memory: EngineHarness = {
  async open({ clock = systemClock }) {
    const engine = memoryEngine(clock);
    return { connect: () => engine, close: async () => {} };
  },
};

describe('a storage on the memory engine', () => certifyEngineStorage(memory));
