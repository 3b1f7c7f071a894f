/** Blocks this process for `ms`, as on a busy machine. */
export function freezeProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
