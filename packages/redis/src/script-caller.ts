import { type CallDeadline, ExpiredCommandGuard } from '@latchhook/core/storage';
import type { ArgTypes, ArgValues, Script } from './define-script.ts';
import type { RedisClient } from './redis-client.ts';
import { ScriptBatches } from './script-batches.ts';
import { ScriptReply } from './script-reply.ts';
import { createSendCalls, type SendCallsOptions } from './send-calls.ts';
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

export interface ScriptCallerOptions extends SendCallsOptions {
  readonly newDeadline: () => CallDeadline;
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
  const { newDeadline, clock, onFirstReply } = options;
  const guard = new ExpiredCommandGuard({ server: 'Redis', readServerMs, clock });

  async function readServerMs(): Promise<number> {
    const [seconds, microseconds] = await redis.time();
    onFirstReply();
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }

  const batches = new ScriptBatches(createSendCalls(redis, options));

  return async (script, keys, args, options = {}) => {
    const { moreKeys = [], deadline = newDeadline(), onLateReply } = options;
    const keyList = [...script.keys.flatMap((name) => keysNamed(name, keys[name])), ...moreKeys];
    const argList = script.argNames.map((name) => args[name] ?? '');
    const call = guard.call(deadline, (limitMs) =>
      batches.call(script, keyList, [limitMs, ...argList]),
    );
    const replied = call.then(({ answer, tookMs }) => new ScriptReply(script.name, answer, tookMs));
    return deadline.bound(replied.catch(rejectUnavailable), () => {
      if (onLateReply !== undefined) replied.then(onLateReply).catch(() => {});
    });
  };
}

/**
 * A script that receives a root key builds its other keys, so a Cluster does not check them. While it moves their slot
 * to another node, the script would run on a node that lacks some of them. A second key that never exists prevents
 * this: a Cluster answers `TRYAGAIN` to a command with several keys, some of which are missing, of a slot that moves.
 */
function keysNamed(name: string, key: string): readonly string[] {
  return name === 'root' ? [key, `${key}:absent`] : [key];
}
