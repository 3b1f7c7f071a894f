import { type AnyScript, MAX_WORK } from './define-script.ts';

/**
 * The longest arguments of a command with several calls, in UTF-16 code units. Redis reads a client's input in pieces
 * of this size, and serves others in between.
 */
const MAX_LENGTH = 16_384;

/** The arguments of one call, as they are sent to Redis. */
export type CallArgs = readonly (string | number)[];

/** The result of a call: its answer, its own error, or `left` where it has to be sent again. */
export type CallResult<Answer> = Answer | Error | 'left';

/** Sends calls as one command. Resolves to the result of each, in order. */
export type SendCalls<Answer> = (
  script: AnyScript,
  keys: readonly string[],
  calls: readonly CallArgs[],
) => Promise<readonly CallResult<Answer>[]>;

interface Call<Answer> {
  readonly args: CallArgs;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends calls of one script as one command if they are made in the same callback of the event loop, or by promises that
 * settle in it. A call waits only for the end of that callback.
 *
 * Concurrency: calls may overtake one another. A caller that needs an order awaits each call.
 */
export class ScriptBatches<Answer> {
  readonly #sendCalls: SendCalls<Answer>;
  /** The calls that are to be sent, by script and keys. */
  readonly #gathered = new Map<string, Call<Answer>[]>();

  constructor(sendCalls: SendCalls<Answer>) {
    this.#sendCalls = sendCalls;
  }

  /** Settles with the result of this call; if the command fails, all of its calls reject. */
  call(script: AnyScript, keys: readonly string[], args: CallArgs): Promise<Answer> {
    if (script.batched !== true) return this.#sendAlone(script, keys, args);
    return new Promise((resolve, reject) => this.#gather(script, keys, { args, resolve, reject }));
  }

  #gather(script: AnyScript, keys: readonly string[], call: Call<Answer>): void {
    const id = [script.sha1, ...keys].join(' ');
    const gathered = this.#gathered.get(id);
    if (gathered !== undefined) {
      gathered.push(call);
      return;
    }
    const calls = [call];
    this.#gathered.set(id, calls);
    // `nextTick` rather than a microtask, as a caller that was resumed by an answer may need several of these before
    // its next call.
    process.nextTick(() => {
      this.#gathered.delete(id);
      for (const batch of inBatches(calls)) void this.#sendTogether(script, keys, batch);
    });
  }

  async #sendTogether(
    script: AnyScript,
    keys: readonly string[],
    calls: readonly Call<Answer>[],
  ): Promise<void> {
    try {
      const args = calls.map((call) => call.args);
      const results = await this.#sendCalls(script, keys, args);
      for (const [i, call] of calls.entries()) {
        const result = results[i] ?? leftOut(script);
        // The calls that are left are sent in parallel, one command each: in sequence each would wait for the one
        // before.
        if (result === 'left') call.resolve(this.#sendAlone(script, keys, call.args));
        else if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  async #sendAlone(script: AnyScript, keys: readonly string[], args: CallArgs): Promise<Answer> {
    const [result = leftOut(script)] = await this.#sendCalls(script, keys, [args]);
    if (result === 'left') throw leftOut(script);
    if (result instanceof Error) throw result;
    return result;
  }
}

function leftOut({ name }: AnyScript): Error {
  return new Error(`The script ${name} left a call out.`);
}

function* inBatches<Answer>(calls: readonly Call<Answer>[]): Generator<readonly Call<Answer>[]> {
  let batch: Call<Answer>[] = [];
  let length = 0;
  for (const call of calls) {
    const added = lengthOf(call.args);
    if (batch.length === MAX_WORK || (batch.length > 0 && length + added > MAX_LENGTH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(call);
    length += added;
  }
  yield batch;
}

function lengthOf(args: CallArgs): number {
  return args.reduce<number>((sum, arg) => sum + (typeof arg === 'string' ? arg.length : 0), 0);
}
