import { type AnyScript, MAX_WORK } from './define-script.ts';

/**
 * The greatest total length of the arguments of a command with several calls, in UTF-16 code units. Redis reads a
 * client's input in pieces of this size, and serves other clients between two pieces.
 */
const MAX_LENGTH = 16_384;

/** The arguments of one call, as they are sent to Redis. */
export type CallArgs = readonly (string | number)[];

/** What the calls of one command have in common: its keys, and the shared arguments of its script. */
export interface CommandHead {
  readonly keys: readonly string[];
  readonly sharedArgs: CallArgs;
}

/** The result of a call: its reply, its own error, or `not_run` if it has to be sent again. */
export type CallResult<Reply> = Reply | Error | 'not_run';

/** Sends calls as one command. Resolves to the result of each, in order. */
export type SendCalls<Reply> = (
  script: AnyScript,
  head: CommandHead,
  calls: readonly CallArgs[],
) => Promise<readonly CallResult<Reply>[]>;

/** Sends one call as one command. */
export type SendAlone<Reply> = (
  script: AnyScript,
  head: CommandHead,
  args: CallArgs,
) => Promise<Reply>;

interface Call<Reply> {
  readonly args: CallArgs;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends calls of one script as one command if they have the same head and are made in the same callback of the event
 * loop, or by promises that settle in that callback. A call waits only until the callback ends.
 *
 * Concurrency: calls may overtake one another. A caller that needs an order awaits each call.
 */
export class ScriptBatches<Reply> {
  readonly #sendCalls: SendCalls<Reply>;
  readonly #sendAlone: SendAlone<Reply>;
  /** The calls that wait to be sent, by script and head. */
  readonly #waiting = new Map<string, Call<Reply>[]>();

  constructor(sendCalls: SendCalls<Reply>, sendAlone: SendAlone<Reply>) {
    this.#sendCalls = sendCalls;
    this.#sendAlone = sendAlone;
  }

  /** Settles with the result of this call; if the command fails, all of its calls reject. */
  call(script: AnyScript, head: CommandHead, args: CallArgs): Promise<Reply> {
    return new Promise((resolve, reject) => this.#enqueue(script, head, { args, resolve, reject }));
  }

  #enqueue(script: AnyScript, head: CommandHead, call: Call<Reply>): void {
    const id = [script.sha1, ...head.keys, ...head.sharedArgs].join(' ');
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      waiting.push(call);
      return;
    }
    const calls = [call];
    this.#waiting.set(id, calls);
    // `nextTick` rather than a microtask because a caller that a reply has resumed may need several microtasks
    // before its next call.
    process.nextTick(() => {
      this.#waiting.delete(id);
      for (const batch of splitIntoBatches(calls)) void this.#sendTogether(script, head, batch);
    });
  }

  async #sendTogether(
    script: AnyScript,
    head: CommandHead,
    calls: readonly Call<Reply>[],
  ): Promise<void> {
    try {
      const args = calls.map((call) => call.args);
      const results = await this.#sendCalls(script, head, args);
      for (const [i, call] of calls.entries()) {
        const result = results[i] ?? missingResult(script);
        // Calls that were not run are sent again in parallel, one command each: in sequence, each would wait for the
        // one before.
        if (result === 'not_run') call.resolve(this.#sendAlone(script, head, call.args));
        else if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }
}

export function missingResult({ name }: AnyScript): Error {
  return new Error(`The script ${name} left a call out.`);
}

function* splitIntoBatches<Reply>(
  calls: readonly Call<Reply>[],
): Generator<readonly Call<Reply>[]> {
  let batch: Call<Reply>[] = [];
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
