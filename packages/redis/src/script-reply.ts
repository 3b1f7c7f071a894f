/**
 * Reads the reply of a script value by value, in the order of the script's `reply(...)`, and a record by the positions
 * of its fields.
 */
export class ScriptReply {
  /** The time from the call to its reply, ms: the command cannot have been pending for longer. */
  readonly tookMs: number;
  readonly #script: string;
  readonly #values: readonly unknown[];
  #next = 0;

  constructor(script: string, values: readonly unknown[], tookMs: number) {
    this.tookMs = tookMs;
    this.#script = script;
    this.#values = values;
  }

  /** The next value, which must be one of `outcomes`. */
  outcome<const Outcome extends string>(outcomes: readonly Outcome[]): Outcome {
    const value = this.#take();
    const outcome = outcomes.find((candidate) => candidate === value);
    return outcome ?? this.#fail(`with an unknown outcome: ${String(value)}`);
  }

  /** Takes the next value, which must be this outcome. */
  expectOutcome(outcome: string): void {
    this.outcome([outcome]);
  }

  /** Moves to a field of a record, by its position in `defineRecord`. */
  at(position: number): this {
    this.#next = position - 1;
    return this;
  }

  /** `null` if the next value is null. A field that HMGET did not find is `false` in Lua, and null in the reply. */
  orNull(): this | null {
    return this.#values[this.#next] === null ? null : this;
  }

  /** Whether there is another value. */
  get hasMore(): boolean {
    return this.#next < this.#values.length;
  }

  text(): string {
    const value = this.#take();
    return typeof value === 'string' ? value : this.#fail('without a text');
  }

  /**
   * Reads an integer, or the text of one: fields of a hash are text, and with the client's `stringNumbers` all numbers.
   */
  integer(): number {
    const value = Number(this.#take());
    return Number.isSafeInteger(value) ? value : this.#fail('without an integer');
  }

  /** The remaining values, each of which is a list. */
  *lists(): Generator<ScriptReply> {
    while (this.hasMore) yield this.list();
  }

  list(): ScriptReply {
    const value = this.#take();
    return Array.isArray(value)
      ? new ScriptReply(this.#script, value, this.tookMs)
      : this.#fail('without a list');
  }

  *texts(): Generator<string> {
    while (this.hasMore) yield this.text();
  }

  #take(): unknown {
    const value = this.#values[this.#next];
    this.#next += 1;
    return value;
  }

  #fail(fault: string): never {
    throw new Error(`The script ${this.#script} replied ${fault}.`);
  }
}
