/** Calls a function later. Tests replace it together with the {@link Clock}, so that nothing waits for real time. */
export interface Timers {
  /** Calls back once, when `ms` have passed; the returned function cancels that. */
  after(ms: number, callback: () => void): () => void;
}

/** Node's own timers, which keep a process alive for as long as one is set. */
export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
