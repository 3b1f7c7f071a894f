import type { Timers } from '@latchhook/core/delivery';

/** The timers of Node.js, unreferenced: an idle worker must not keep the process alive. */
export const unrefTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
