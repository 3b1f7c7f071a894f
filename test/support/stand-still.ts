/** Keeps this process from doing anything, ms, as a machine does that has other work. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
