import { memoryStorage } from '@latchhook/core';
import type { Backend } from './backend.ts';

/** The memory of this process: nothing is left when it ends. */
export function memoryBackend(): Backend {
  return {
    place: 'the memory of this process',
    storage: memoryStorage(),
    close: async () => {},
  };
}
