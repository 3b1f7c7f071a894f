import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** Resolves to 8 bytes from the thread pool, whose result reaches this thread only through the event loop. */
export const resultOfThreadPool: () => Promise<Buffer> = () => promisify(randomBytes)(8);

/** Blocks this thread for `ms`, like a busy machine. */
export function blockProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
