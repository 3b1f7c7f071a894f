import { type CallDeadline, type Clock, type Landing, LateLandingGuard } from '@latchhook/core';
import type { ArgTypes, ArgValues, Script } from './define-script.ts';
import type { RedisClient } from './redis-client.ts';
import { runScript } from './run-script.ts';
import { ScriptReply } from './script-reply.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

export interface CallOptions {
  /** Further keys, behind those that the script names. */
  readonly moreKeys?: readonly string[];
  /** Where several calls share one; a new one by default. */
  readonly deadline?: CallDeadline;
}

/**
 * Calls a script and hands back what it answered.
 *
 * @throws StorageUnavailableError when Redis fails, or has not answered before the deadline.
 */
export type CallScript = <Key extends string, Args extends ArgTypes>(
  script: Script<Key, Args>,
  keys: Readonly<Record<NoInfer<Key>, string>>,
  args: ArgValues<NoInfer<Args>>,
  options?: CallOptions,
) => Promise<ScriptReply>;

export interface ScriptCallerOptions {
  readonly newDeadline: () => CallDeadline;
  /** Stands in for the time of Redis, in tests. */
  readonly clock?: Clock | undefined;
  /** Called when Redis has told its time, before the first script: several times where several come at once. */
  readonly onFirstAnswer: () => void;
  /** Called where Redis does not know a script: it may have been restarted, or be another one. */
  readonly onUnknownScript: () => void;
}

/**
 * Calls scripts under a deadline, and sees to it by a {@link LateLandingGuard} that a command which the caller
 * gave up on changes nothing: a script that comes late says so and does nothing. See the preamble of
 * `defineScript`.
 */
export function createScriptCaller(redis: RedisClient, options: ScriptCallerOptions): CallScript {
  const { newDeadline, clock, onFirstAnswer, onUnknownScript } = options;
  const guard = new LateLandingGuard({ server: 'Redis', readServerMs, clock });

  async function readServerMs(): Promise<number> {
    const [seconds, microseconds] = await redis.time();
    onFirstAnswer();
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }

  async function send(
    script: Script<string, ArgTypes>,
    keys: readonly string[],
    args: readonly (string | number)[],
    landingLimitMs: number,
  ): Promise<Landing<readonly unknown[]>> {
    const guardArgs = [landingLimitMs, clock?.nowMs() ?? ''];
    const reply = await runScript(redis, script, keys, [...guardArgs, ...args], onUnknownScript);
    if (!Array.isArray(reply)) throw new Error(`The script ${script.name} answered no list.`);
    const [serverTime, ...answer]: readonly unknown[] = reply;
    const serverMs = Number(serverTime);
    return answer[0] === 'late'
      ? { outcome: 'late', serverMs }
      : { outcome: 'landed', answer, serverMs };
  }

  return async (script, keys, args, { moreKeys = [], deadline = newDeadline() } = {}) => {
    const keyList = [...script.keys.map((name) => keys[name]), ...moreKeys];
    const argList = script.argNames.map((name) => args[name] ?? '');
    const call = guard.call(deadline, (limitMs) => send(script, keyList, argList, limitMs));
    const { answer, tookMs } = await deadline.bound(call.catch(rejectUnavailable));
    return new ScriptReply(script.name, answer, tookMs);
  };
}
