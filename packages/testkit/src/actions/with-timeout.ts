import { AssertionError } from 'node:assert';

/** Settles as `promise` does, or fails with `message` after `ms`. */
export async function withTimeout<Result>(
  ms: number,
  promise: Promise<Result>,
  message: string,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AssertionError({ message })), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
