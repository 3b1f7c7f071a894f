import { memoryStorage } from '@latchhook/core';
import type { Backend } from './backend.ts';

/** Stores everything in the memory of this process. */
export function memoryBackend(): Backend {
  return {
    location: 'the memory of this process',
    storage: memoryStorage(),
    close: async () => {},
  };
}
