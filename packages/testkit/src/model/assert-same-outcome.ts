import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

/** What was answered to one transition. */
export interface Answers {
  readonly actual: unknown;
  /** The reference's answer. */
  readonly expected: unknown;
}

/**
 * Asserts that both answers are equal, and shows them in the message. Whether `deepEqual` does that depends on the
 * version of Node.js and the runner.
 *
 * @param before - the steps that led to it, oldest first: the answers alone do not explain themselves.
 */
export function assertSameOutcome(
  step: string,
  { actual, expected }: Answers,
  before: readonly string[] = [],
): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const answered = `  answered  ${inOneLine(actual)}`;
  const reference = `  reference ${inOneLine(expected)}`;
  const story = before.length === 0 ? [] : ['  before it:', ...before.map((line) => `    ${line}`)];
  const message = [`${step}:`, answered, reference, ...story].join('\n');
  throw new AssertionError({ message, actual, expected, operator: 'agrees' });
}

/** Not as JSON, which hides what may be the only difference: `undefined`, a date, a bigint. */
function inOneLine(answer: unknown): string {
  const whole = { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true };
  return inspect(answer, { ...whole, compact: true, breakLength: Number.POSITIVE_INFINITY });
}
