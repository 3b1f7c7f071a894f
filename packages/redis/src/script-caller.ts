import type { Clock } from '@latchhook/core';
import {
  type CallDeadline,
  type CommandOutcome,
  ExpiredCommandGuard,
} from '@latchhook/core/storage';
import type { DataLossDetector } from './data-loss-detector.ts';
import type { AnyScript, ArgTypes, ArgValues, Script } from './define-script.ts';
import type { RedisClient } from './redis-client.ts';
import {
  type CallArgs,
  type CallResult,
  type CommandHead,
  missingResult,
  ScriptBatches,
} from './script-batches.ts';
import { ScriptReply } from './script-reply.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

export interface CallOptions {
  /** Keys that are appended to those of the script. */
  readonly moreKeys?: readonly string[];
  /** A deadline that several calls share. Default: each call has its own. */
  readonly deadline?: CallDeadline;
  /** Called with the reply to a call that has been rejected at its deadline. */
  readonly onLateReply?: (reply: ScriptReply) => void;
}

/**
 * Calls a script and resolves to its reply.
 *
 * @throws {StorageUnavailableError} if Redis fails, or does not reply before the deadline.
 */
export type CallScript = <Key extends string, Args extends ArgTypes>(
  script: Script<Key, Args>,
  keys: Readonly<Record<NoInfer<Key>, string>>,
  args: ArgValues<NoInfer<Args>>,
  options?: CallOptions,
) => Promise<ScriptReply>;

type ScriptOutcome = CommandOutcome<readonly unknown[]>;
type ScriptResult = CallResult<ScriptOutcome>;

export interface ScriptCallerOptions {
  readonly newDeadline: () => CallDeadline;
  /** Replaces the time of Redis in tests. */
  readonly clock?: Clock | undefined;
  /** Checks now and then, and when Redis does not know a script: it may have been restarted or replaced. */
  readonly dataLossDetector: Pick<DataLossDetector, 'check' | 'checkOccasionally'>;
  /**
   * Called when Redis has replied to `TIME`, before the first script. Parallel first calls may call it more than once.
   */
  readonly onFirstReply: () => void;
}

/**
 * Creates a function that calls scripts with a deadline. An {@link ExpiredCommandGuard} ensures that a call changes
 * nothing after its deadline: the script of an expired call returns `command_expired` (see `defineScript`).
 */
export function createScriptCaller(redis: RedisClient, options: ScriptCallerOptions): CallScript {
  const { newDeadline, clock, dataLossDetector, onFirstReply } = options;
  const guard = new ExpiredCommandGuard({ server: 'Redis', readServerMs, clock });
  const batches = new ScriptBatches(sendCalls, sendAlone);

  return (script, keys, args, callOptions = {}) => {
    dataLossDetector.checkOccasionally();
    const { moreKeys = [], deadline = newDeadline(), onLateReply } = callOptions;
    const head = {
      keys: [...script.keys.flatMap((name) => keysNamed(name, keys[name])), ...moreKeys],
      sharedArgs: script.sharedArgs.map((name) => args[name] ?? ''),
    };
    const argList = script.argNames.map((name) => args[name] ?? '');
    const call = guard.call(deadline, (limitMs) => {
      const callArgs = [limitMs, ...argList];
      return script.batched === true
        ? batches.call(script, head, callArgs)
        : sendAlone(script, head, callArgs);
    });
    const replied = call.then(
      ({ answer, tookMs }) => new ScriptReply(script.name, answer, tookMs),
      rejectUnavailable,
    );
    return deadline.bound(replied, () => {
      if (onLateReply !== undefined) replied.then(onLateReply).catch(() => {});
    });
  };

  async function readServerMs(): Promise<number> {
    const [seconds, microseconds] = await redis.time();
    onFirstReply();
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }

  async function sendAlone(
    script: AnyScript,
    head: CommandHead,
    args: CallArgs,
  ): Promise<ScriptOutcome> {
    const [result = missingResult(script)] = await sendCalls(script, head, [args]);
    if (result === 'not_run') throw missingResult(script);
    if (result instanceof Error) throw result;
    return result;
  }

  /**
   * Sends the calls of one command and parses the reply, in the format of `defineScript`.
   *
   * ARGV contains the time of a test (otherwise an empty string), the shared arguments, and then, for each call, the
   * server's time at which the call expires and the arguments of the call. The reply contains the server's time, and
   * then, for each call, an error or the number of its values followed by the values; a single value may be
   * `command_expired` or `not_run`.
   */
  async function sendCalls(
    script: AnyScript,
    { keys, sharedArgs }: CommandHead,
    calls: readonly CallArgs[],
  ): Promise<readonly ScriptResult[]> {
    const args: (string | number)[] = [clock?.nowMs() ?? '', ...sharedArgs];
    for (const call of calls) args.push(...call);
    const onUnknown = () => void dataLossDetector.check();
    const reply = await runScript(redis, script, keys, args, onUnknown);
    if (!Array.isArray(reply)) {
      throw new Error(`The script ${script.name} replied without a list.`);
    }
    return parseResults(reply);
  }
}

/**
 * Runs a script by its hash: one round trip, without sending the text.
 *
 * If the server does not know the hash (after a restart, a failover or a flush), the text is sent. `defineCommand` of
 * ioredis does the same, but would add Latchhook's names to a client that belongs to the host.
 *
 * @param onUnknown - called if the server does not know the hash.
 */
async function runScript(
  redis: RedisClient,
  script: AnyScript,
  keys: readonly string[],
  args: readonly (string | number)[],
  onUnknown: () => void,
): Promise<unknown> {
  try {
    return await redis.evalsha(script.sha1, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    onUnknown();
    return await redis.eval(script.source, keys.length, ...keys, ...args);
  }
}

function parseResults(reply: readonly unknown[]): ScriptResult[] {
  const serverMs = Number(reply[0]);
  const results: ScriptResult[] = [];
  for (let at = 1; at < reply.length; ) {
    const length = reply[at];
    at += 1;
    if (length instanceof Error) {
      results.push(length);
    } else {
      const values = reply.slice(at, at + Number(length));
      at += values.length;
      results.push(parseResult(values, serverMs));
    }
  }
  return results;
}

function parseResult(values: readonly unknown[], serverMs: number): ScriptResult {
  if (values[0] === 'not_run') return 'not_run';
  return values[0] === 'command_expired'
    ? { outcome: 'expired', serverMs }
    : { outcome: 'applied', answer: values, serverMs };
}

/**
 * A script that receives a root key builds its other keys, so a Cluster does not check them. While it moves their slot
 * to another node, the script would run on a node that lacks some of them. A second key that never exists prevents
 * this: a Cluster answers `TRYAGAIN` to a command with several keys, some of which are missing, of a slot that moves.
 */
function keysNamed(name: string, key: string): readonly string[] {
  return name === 'root' ? [key, `${key}:absent`] : [key];
}
