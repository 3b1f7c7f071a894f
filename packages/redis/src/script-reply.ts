/**
 * Reads what a script answered, value by value, in the order in which its `answer(...)` names them; a record by the
 * places of its fields.
 */
export class ScriptReply {
  /** From the call to its answer, ms: the command cannot have been pending for longer. */
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

  /** Goes to the field of a record, by its place in `defineRecord`. */
  at(place: number): this {
    this.#next = place - 1;
    return this;
  }

  /** `null` where the next value is one: HMGET found no such field, which is `false` in Lua. */
  orNull(): this | null {
    return this.#values[this.#next] === null ? null : this;
  }

  text(): string {
    const value = this.#take();
    return typeof value === 'string' ? value : this.#fail('without a text');
  }

  /** An integer reply, or the text of one: hash fields are text, and under `stringNumbers` so is every number. */
  integer(): number {
    const value = Number(this.#take());
    return Number.isSafeInteger(value) ? value : this.#fail('without an integer');
  }

  /** The remaining values, each of which is a list. */
  *lists(): Generator<ScriptReply> {
    while (this.#next < this.#values.length) yield this.list();
  }

  list(): ScriptReply {
    const value = this.#take();
    return Array.isArray(value)
      ? new ScriptReply(this.#script, value, this.tookMs)
      : this.#fail('without a list');
  }

  *texts(): Generator<string> {
    while (this.#next < this.#values.length) yield this.text();
  }

  #take(): unknown {
    const value = this.#values[this.#next];
    this.#next += 1;
    return value;
  }

  #fail(what: string): never {
    throw new Error(`The script ${this.#script} answered ${what}.`);
  }
}
