import { inspect } from 'node:util';

/** Enough calls to explain most failures, and few enough to read. */
const SHOWN_CALLS = 12;
const SHOWN_CHARACTERS = 160;

/** The calls of an engine in the order in which they ended, so that a failure is shown with the calls before. */
export class CallLog {
  readonly #lines: string[] = [];
  #transactions = 0;

  /** Returns a number for a transaction, because the calls of concurrent transactions alternate in the log. */
  nextTransaction(): number {
    this.#transactions += 1;
    return this.#transactions;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  /** Makes a call, and logs it with the result or the error. */
  async logged<Result>(
    call: string,
    args: readonly unknown[],
    makeCall: () => Result | Promise<Result>,
  ): Promise<Result> {
    const text = `${call}(${args
      .filter((arg) => arg !== undefined)
      .map(inShort)
      .join(', ')})`;
    try {
      const result = await makeCall();
      this.add(result === undefined ? text : `${text}: ${inShort(result)}`);
      return result;
    } catch (error) {
      this.add(`${text} threw ${inShort(error)}`);
      throw error;
    }
  }

  last(): string | undefined {
    return this.#lines.at(-1);
  }

  beforeLast(): readonly string[] {
    return this.#lines.slice(-SHOWN_CALLS - 1, -1);
  }
}

function inShort(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const options = { depth: 4, maxArrayLength: 8, maxStringLength: 60, breakLength: Infinity };
  const text = inspect(value, { ...options, compact: true });
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)} ...`;
}
