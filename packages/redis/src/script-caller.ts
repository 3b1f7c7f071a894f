import { performance } from 'node:perf_hooks';
import { type Clock, StorageUnavailableError } from '@latchhook/core';
import { Deadline } from './deadline.ts';
import type { ArgTypes, ArgValues, Script } from './define-script.ts';
import type { RedisClient } from './redis-client.ts';
import { runScript } from './run-script.ts';
import { ScriptReply } from './script-reply.ts';
import { ServerClock } from './server-clock.ts';

/**
 * Added to the time until which a command may land: covers the rounding of clocks, and is far below the
 * shortest grace that a lost answer has.
 */
const LANDING_SLACK_MS = 250;

export interface CallOptions {
  /** Further keys, behind those that the script names. */
  readonly moreKeys?: readonly string[];
  /** Where several calls share one; a new one by default. */
  readonly deadline?: Deadline;
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
  readonly deadlineMs: number;
  /** Stands in for the time of Redis, in tests. */
  readonly clock?: Clock | undefined;
  /** Called once, when Redis has answered for the first time. */
  readonly onFirstAnswer: () => void;
}

/**
 * Calls scripts under a deadline, and sees to it that a command which the caller gave up on changes nothing.
 *
 * The late-landing guard: a command cannot be taken back. It may wait in the offline queue of ioredis until
 * Redis returns, lie in a socket that a firewall froze, or be sent again after a reconnect. A rotation that
 * lands minutes late would consume a generation whose successor nobody ever received; past the grace, the
 * client's next refresh would then end the session. So every script carries the time of Redis up to which
 * it may act (our deadline and a little slack) and answers `late`, having done nothing, when it arrives
 * after that.
 *
 * That time is reckoned from the estimate of `ServerClock`, never from the clock of this machine. Before the
 * first answer there is no estimate, and this is just when commands pile up behind a Redis that is down; so
 * the first call asks for the time first. Where the clock of Redis jumps ahead (failover to a machine whose
 * clock is ahead) commands that are in time are taken for late once: the answer tells the new time, and the
 * call is made again within the same deadline.
 */
export function createScriptCaller(redis: RedisClient, options: ScriptCallerOptions): CallScript {
  const { deadlineMs, clock, onFirstAnswer } = options;
  const serverClock = new ServerClock();
  // A clock that a test turns stands in for all time: nothing takes any but by its being turned.
  const stopwatchMs = () => clock?.monotonicMs?.() ?? clock?.nowMs() ?? performance.now();

  function landingLimitMs(deadline: Deadline): number | undefined {
    const serverMs = serverClock.at(deadline.atMs);
    return serverMs === undefined ? undefined : Math.ceil(serverMs + LANDING_SLACK_MS);
  }

  async function learnLandingLimitMs(deadline: Deadline): Promise<number> {
    const sentAtMs = performance.now();
    const [seconds, microseconds] = await redis.time();
    // This too may have waited in a queue, and then nobody waits for the script any more.
    if (deadline.passed) throw new StorageUnavailableError('Redis told its time too late.');
    serverClock.observe(Number(seconds) * 1000 + Number(microseconds) / 1000, sentAtMs);
    onFirstAnswer();
    return landingLimitMs(deadline) ?? learnLandingLimitMs(deadline);
  }

  /** @returns `undefined` when the script refused to act, being late. */
  async function send(
    script: Script<string, ArgTypes>,
    keys: readonly string[],
    args: readonly (string | number)[],
    deadline: Deadline,
    calledAtMs: number,
  ): Promise<ScriptReply | undefined> {
    // Nothing is awaited that is known: this is on the way of every call.
    const limitMs = landingLimitMs(deadline) ?? (await learnLandingLimitMs(deadline));
    const guardArgs = [limitMs, clock?.nowMs() ?? ''];
    const sentAtMs = performance.now();
    const answer = await runScript(redis, script, keys, [...guardArgs, ...args]);
    if (!Array.isArray(answer)) throw new Error(`The script ${script.name} answered no list.`);
    const [serverMs, ...values]: readonly unknown[] = answer;
    // The answer to a command that was long under way would put the estimate ahead by as much.
    if (!deadline.passed) serverClock.observe(Number(serverMs), sentAtMs);
    if (values[0] === 'late') return undefined;
    return new ScriptReply(script.name, values, stopwatchMs() - calledAtMs);
  }

  return async (
    script,
    keys,
    args,
    { moreKeys = [], deadline = new Deadline(deadlineMs) } = {},
  ) => {
    const keyList = [...script.keys.map((name) => keys[name]), ...moreKeys];
    const argList = script.argNames.map((name) => args[name] ?? '');
    const calledAtMs = stopwatchMs();
    const attempt = () => send(script, keyList, argList, deadline, calledAtMs);
    const reply = await deadline.bound(
      attempt().then((first) => (first === undefined && !deadline.passed ? attempt() : first)),
    );
    if (reply === undefined) {
      throw new StorageUnavailableError('Redis received the command too late to act on it.');
    }
    return reply;
  };
}
