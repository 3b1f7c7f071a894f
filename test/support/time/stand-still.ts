/** Keeps this process from doing anything for `ms`, as a busy machine does. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
