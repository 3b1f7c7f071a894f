import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** What another thread answers, and this one can only learn from its event loop. */
export const answerElsewhere: () => Promise<Buffer> = () => promisify(randomBytes)(8);

/** Keeps this process from doing anything, ms, as a machine does that has other work. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
