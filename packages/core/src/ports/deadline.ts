/** Answers as `work` does, or rejects with `late()` once `ms` have passed. `work` itself is not stopped. */
export function withDeadline<T>(work: () => Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    // Both handlers stay attached, so that what comes too late is never unhandled.
    work().then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
