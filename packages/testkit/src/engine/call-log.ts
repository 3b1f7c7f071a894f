import { inspect } from 'node:util';

/** How many calls are shown: enough to explain most failures, and few enough to read. */
const SHOWN_CALLS = 12;
const SHOWN_CHARACTERS = 160;

/** The calls of an engine in the order of their answers, so that a failure can be shown with what led to it. */
export class CallLog {
  readonly #lines: string[] = [];
  #transactions = 0;

  /** Numbers a transaction, as those that overlap are logged in turns. */
  nextTransaction(): number {
    this.#transactions += 1;
    return this.#transactions;
  }

  note(line: string): void {
    this.#lines.push(line);
  }

  /** Logs a call with its answer, or its error, which it passes on. */
  async answered<Answer>(
    call: string,
    args: readonly unknown[],
    answer: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const made = `${call}(${args
      .filter((arg) => arg !== undefined)
      .map(inShort)
      .join(', ')})`;
    try {
      const answered = await answer();
      this.note(answered === undefined ? made : `${made}: ${inShort(answered)}`);
      return answered;
    } catch (error) {
      this.note(`${made} threw ${inShort(error)}`);
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
