import { AssertionError } from 'node:assert';

/** Resolves as `answer` does, or fails after `ms`, saying `late`: what hangs is given up with a reason. */
export async function within<Answer>(
  ms: number,
  answer: Promise<Answer>,
  late: string,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AssertionError({ message: late })), ms);
  });
  try {
    return await Promise.race([answer, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
