const TICK_MS = 10;

/** Counts time from its start on. */
export interface OwnTime {
  /** Ends it, and tells how much it was, ms. Can be called again. */
  stop(): number;
}

/**
 * Counts the time in which this process could run. What it stood still for, as a machine makes it that has other work,
 * counts for two ticks at most, or for as much as it worked: a bound on own time is one on what the code does, not on
 * who else is there.
 *
 * @param onTick is told the time so far, ms
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
 * Settles as `work` does, if it does so within so much {@link ownTime}.
 *
 * @throws Error where it does not; else whatever the work throws
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
