import type { ArgTypes, Script } from './define-script.ts';

/** The most calls in one command: Redis does nothing else meanwhile. Sixteen starts take it half a millisecond. */
const MAX_CALLS = 16;

export type AnyScript = Script<string, ArgTypes>;

/** What a script is called with, as Redis takes it. */
export type CallArgs = readonly (string | number)[];

/** Sends calls as one command. Resolves to the answer of each, or the error with which it alone failed, in order. */
export type SendCalls<Answer> = (
  script: AnyScript,
  keys: readonly string[],
  calls: readonly CallArgs[],
) => Promise<readonly (Answer | Error)[]>;

interface Call<Answer> {
  readonly args: CallArgs;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch<Answer> {
  readonly keys: readonly string[];
  readonly calls: Call<Answer>[];
}

/**
 * Gathers the calls of a batched script that are made in one turn of the event loop, and sends them as one command.
 * Under load they are some ten; a single one waits for the end of its turn, and for nothing else.
 */
export class ScriptBatches<Answer> {
  readonly #sendCalls: SendCalls<Answer>;
  /** By script, the batch that takes more. */
  readonly #open = new Map<AnyScript, Batch<Answer>>();

  constructor(sendCalls: SendCalls<Answer>) {
    this.#sendCalls = sendCalls;
  }

  /** Settles for this call alone, however many are sent with it; but they all reject if their command does. */
  call(script: AnyScript, keys: readonly string[], args: CallArgs): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = { args, resolve, reject };
      if (script.batched === true) this.#gather(script, keys, call);
      else void this.#send(script, { keys, calls: [call] });
    });
  }

  #gather(script: AnyScript, keys: readonly string[], call: Call<Answer>): void {
    let batch = this.#open.get(script);
    if (batch === undefined || !areEqual(batch.keys, keys)) {
      batch = this.#openBatch(script, keys);
    }
    batch.calls.push(call);
    if (batch.calls.length === MAX_CALLS) this.#open.delete(script);
  }

  #openBatch(script: AnyScript, keys: readonly string[]): Batch<Answer> {
    const batch: Batch<Answer> = { keys, calls: [] };
    this.#open.set(script, batch);
    // Not a microtask: whoever is woken by an answer of this turn may need several before it calls.
    process.nextTick(() => {
      if (this.#open.get(script) === batch) this.#open.delete(script);
      void this.#send(script, batch);
    });
    return batch;
  }

  async #send(script: AnyScript, { keys, calls }: Batch<Answer>): Promise<void> {
    try {
      const answers = await this.#sendCalls(
        script,
        keys,
        calls.map(({ args }) => args),
      );
      for (const [nth, { resolve, reject }] of calls.entries()) {
        const answer = answers[nth];
        if (answer === undefined) throw new Error(`The script ${script.name} left a call out.`);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, nth) => one === others[nth]);
}
