const TICK_MS = 10;

/** A running count of own time. */
export interface OwnTime {
  /** Stops the count, and returns the own time, ms. May be called again. */
  stop(): number;
}

/**
 * Counts the time in which this process could run. If a tick comes late because the machine is busy, the delay counts
 * as two ticks, or as the CPU time that the process has used meanwhile, if that is more. So a bound on own time bounds
 * the code, whatever else the machine does.
 *
 * @param onTick - called with the own time so far, ms
 */
export function ownTime(onTick: (ms: number) => void = () => {}): OwnTime {
  let ms = 0;
  let lastMs = performance.now();
  let lastUsage = process.cpuUsage();
  const count = (): void => {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(lastUsage);
    ms += Math.min(nowMs - lastMs, Math.max(2 * TICK_MS, (user + system) / 1000));
    lastMs = nowMs;
    lastUsage = process.cpuUsage();
  };
  const timer = setInterval(() => {
    count();
    onTick(ms);
  }, TICK_MS);
  return {
    stop() {
      count();
      clearInterval(timer);
      return ms;
    },
  };
}

/**
 * Settles like `work`, if `work` settles within `ms` of {@link ownTime}.
 *
 * @throws {Error} if it does not
 */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let time: OwnTime | undefined;
  const late = new Promise<never>((_, reject) => {
    time = ownTime((ownMs) => {
      if (ownMs > ms) reject(new Error(`took longer than ${ms} ms`));
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    time?.stop();
  }
}
