import { type AnyScript, MAX_WORK } from './define-script.ts';

/**
 * How long the arguments of a command may be, in UTF-16 code units, unless it carries a single call. Redis serves
 * others in between where a client has sent more than that.
 */
const MAX_LENGTH = 16_384;

/** What a script is called with, as Redis takes it. */
export type CallArgs = readonly (string | number)[];

/** What came of a call: its answer, the error with which it alone failed, or that it is left to another command. */
export type CallResult<Answer> = Answer | Error | 'left';

/** Sends calls as one command. Resolves to what came of each, in order. */
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
 * Sends calls of one script that are made together as one command: by one callback of the event loop, or by promises
 * that settle in it. A call waits for the end of that, and for nothing else.
 *
 * Concurrency: calls may overtake one another. Who needs an order awaits.
 */
export class ScriptBatches<Answer> {
  readonly #sendCalls: SendCalls<Answer>;
  /** By script and keys, those that are to be sent. */
  readonly #gathered = new Map<string, Call<Answer>[]>();

  constructor(sendCalls: SendCalls<Answer>) {
    this.#sendCalls = sendCalls;
  }

  /** Settles for this call alone, however many are sent with it; but they all reject if their command does. */
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
    // Not a microtask: a caller that an answer resumes may need several before its next call.
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
      for (const [nth, call] of calls.entries()) {
        const result = results[nth] ?? leftOut(script);
        // Alone, as many as there are: one after the other they would take a round trip each.
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
