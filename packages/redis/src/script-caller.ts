import type { Clock } from '@latchhook/core';
import { type CallDeadline, type Landing, LateLandingGuard } from '@latchhook/core/storage';
import type { ArgTypes, ArgValues, Script } from './define-script.ts';
import type { RedisClient } from './redis-client.ts';
import { runScript } from './run-script.ts';
import { type AnyScript, ScriptBatches } from './script-batches.ts';
import { ScriptReply } from './script-reply.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

export interface CallOptions {
  /** Keys that follow those that the script names. */
  readonly moreKeys?: readonly string[];
  /** One that several calls share; by default each has its own. */
  readonly deadline?: CallDeadline;
}

/**
 * Calls a script and resolves to its answer.
 *
 * @throws {StorageUnavailableError} when Redis fails, or has not answered before the deadline.
 */
export type CallScript = <Key extends string, Args extends ArgTypes>(
  script: Script<Key, Args>,
  keys: Readonly<Record<NoInfer<Key>, string>>,
  args: ArgValues<NoInfer<Args>>,
  options?: CallOptions,
) => Promise<ScriptReply>;

export interface ScriptCallerOptions {
  readonly newDeadline: () => CallDeadline;
  /** Replaces the time of Redis, in tests. */
  readonly clock?: Clock | undefined;
  /** Called when Redis has answered `TIME`, before the first script; more than once if the first calls are parallel. */
  readonly onFirstAnswer: () => void;
  /** Called when Redis does not know a script: it may have been restarted, or be another server. */
  readonly onUnknownScript: () => void;
}

/**
 * Calls scripts under a deadline. A {@link LateLandingGuard} sees to it that a command changes nothing once its caller
 * has given up: a script that lands late answers so and does nothing (see the preamble of `defineScript`).
 */
export function createScriptCaller(redis: RedisClient, options: ScriptCallerOptions): CallScript {
  const { newDeadline, clock, onFirstAnswer, onUnknownScript } = options;
  const guard = new LateLandingGuard({ server: 'Redis', readServerMs, clock });

  async function readServerMs(): Promise<number> {
    const [seconds, microseconds] = await redis.time();
    onFirstAnswer();
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }

  const batches = new ScriptBatches<Landing<readonly unknown[]>>(async (script, keys, calls) => {
    const args: (string | number)[] = [clock?.nowMs() ?? ''];
    for (const call of calls) args.push(...call);
    const reply = await runScript(redis, script, keys, args, onUnknownScript);
    if (!Array.isArray(reply))
      throw new Error(`The script ${script.name} answered without a list.`);
    const [serverTime, ...answers]: readonly unknown[] = reply;
    return answers.map((answer) => landingOf(script, answer, Number(serverTime)));
  });

  return async (script, keys, args, { moreKeys = [], deadline = newDeadline() } = {}) => {
    const keyList = [...script.keys.map((name) => keys[name]), ...moreKeys];
    const argList = script.argNames.map((name) => args[name] ?? '');
    const call = guard.call(deadline, (limitMs) =>
      batches.call(script, keyList, [limitMs, ...argList]),
    );
    const { answer, tookMs } = await deadline.bound(call.catch(rejectUnavailable));
    return new ScriptReply(script.name, answer, tookMs);
  };
}

function landingOf(
  script: AnyScript,
  answer: unknown,
  serverMs: number,
): Landing<readonly unknown[]> | Error {
  if (answer instanceof Error) return answer;
  if (!Array.isArray(answer)) return new Error(`The script ${script.name} answered no list.`);
  return answer[0] === 'late'
    ? { outcome: 'late', serverMs }
    : { outcome: 'landed', answer, serverMs };
}
