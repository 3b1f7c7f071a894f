import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** An answer of another thread, which this one can only learn from its event loop. */
export const answerElsewhere: () => Promise<Buffer> = () => promisify(randomBytes)(8);

/** Keeps this process from doing anything for `ms`, as a busy machine does. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
