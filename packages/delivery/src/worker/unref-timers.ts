import type { Timers } from '@latchhook/core/delivery';

/** Node's own timers, none of which keeps a process alive: a worker that has nothing to send is no reason to go on. */
export const unrefTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
