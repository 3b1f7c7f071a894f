const TICK_MS = 10;

/** A count of own time that is running. */
export interface OwnTime {
  /** Stops it, and answers how much it was, ms. May be called again. */
  stop(): number;
}

/**
 * Counts the time in which this process could run. A standstill, as on a busy machine, counts for two ticks at most, or
 * for as much as the process worked: so a bound on own time bounds what the code does, whatever else the machine does.
 *
 * @param onTick - is called with the time so far, ms
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
 * Settles as `work` does, if it does so within `ms` of {@link ownTime}.
 *
 * @throws {Error} where it does not; otherwise whatever the work throws
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
