import type { AccountId } from '@latchhook/core';
import { parseAccountName } from '@latchhook/core/storage';

/** Reads the result of a function value by value, and throws if a value is not of the expected type. */
export class FunctionResult {
  /** The time from the call to its result, ms: the statement cannot have been pending for longer. */
  readonly tookMs: number;
  readonly #function: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(name: string, value: unknown, tookMs: number) {
    this.tookMs = tookMs;
    this.#function = name;
    this.#values = isRecord(value) ? value : this.#fail('without an object');
  }

  /** The value of the field `outcome`, which must be one of `outcomes`. */
  outcome<const Outcome extends string>(outcomes: readonly Outcome[]): Outcome {
    return this.oneOf('outcome', outcomes);
  }

  /** Checks that this is the outcome. */
  expectOutcome(outcome: string): void {
    this.outcome([outcome]);
  }

  /** The value of a field, which must be one of `allowed`. */
  oneOf<const Value extends string>(name: string, allowed: readonly Value[]): Value {
    const value = this.#values[name];
    const match = allowed.find((candidate) => candidate === value);
    return match ?? this.#fail(`with an unknown ${name}: ${String(value)}`);
  }

  text(name: string): string {
    const value = this.#values[name];
    return typeof value === 'string' ? value : this.#fail(`without a text as ${name}`);
  }

  textOrNull(name: string): string | null {
    return this.#values[name] === null ? null : this.text(name);
  }

  integer(name: string): number {
    const value = this.#values[name];
    return Number.isSafeInteger(value)
      ? Number(value)
      : this.#fail(`without an integer as ${name}`);
  }

  integerOrNull(name: string): number | null {
    return this.#values[name] === null ? null : this.integer(name);
  }

  account(name: string): AccountId {
    return parseAccountName(this.text(name));
  }

  boolean(name: string): boolean {
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : this.#fail(`without a boolean as ${name}`);
  }

  object(name: string): FunctionResult {
    return new FunctionResult(this.#function, this.#values[name], this.tookMs);
  }

  objectOrNull(name: string): FunctionResult | null {
    return this.#values[name] === null ? null : this.object(name);
  }

  list(name: string): readonly FunctionResult[] {
    const value = this.#values[name];
    if (!Array.isArray(value)) return this.#fail(`without a list as ${name}`);
    return value.map((item) => new FunctionResult(this.#function, item, this.tookMs));
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    const isText = (item: unknown): item is string => typeof item === 'string';
    return Array.isArray(value) && value.every(isText)
      ? value
      : this.#fail(`without texts as ${name}`);
  }

  #fail(fault: string): never {
    throw new Error(`The function ${this.#function} returned a result ${fault}.`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
