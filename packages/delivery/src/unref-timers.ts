import type { Timers } from '@latchhook/core/delivery';

/** Node's own timers, none of which keeps a process alive: for what only looks after others. */
export const unrefTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
