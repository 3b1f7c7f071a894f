import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

/** The results of one step. */
export interface Results {
  readonly actual: unknown;
  /** The result of the reference. */
  readonly expected: unknown;
}

/**
 * Asserts that both results are equal, with both in the message. Whether `deepEqual` shows them depends on the version
 * of Node.js and on the runner.
 *
 * @param before - the steps before, oldest first
 */
export function assertSameOutcome(
  step: string,
  { actual, expected }: Results,
  before: readonly string[] = [],
): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const answered = `  answered  ${inOneLine(actual)}`;
  const reference = `  reference ${inOneLine(expected)}`;
  const story = before.length === 0 ? [] : ['  before it:', ...before.map((line) => `    ${line}`)];
  const message = [`${step}:`, answered, reference, ...story].join('\n');
  throw new AssertionError({ message, actual, expected, operator: 'agrees' });
}

/** Not as JSON, which does not show `undefined`, dates and bigints. */
function inOneLine(result: unknown): string {
  const uncut = { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true };
  return inspect(result, { ...uncut, compact: true, breakLength: Number.POSITIVE_INFINITY });
}
