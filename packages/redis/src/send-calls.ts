import type { Clock } from '@latchhook/core';
import type { CommandOutcome } from '@latchhook/core/storage';
import type { AnyScript } from './define-script.ts';
import type { RedisClient } from './redis-client.ts';
import { runScript } from './run-script.ts';
import type { CallResult, SendCalls } from './script-batches.ts';

export interface SendCallsOptions {
  /** Replaces the time of Redis in tests. */
  readonly clock?: Clock | undefined;
  /** Called when Redis does not know a script: it may have been restarted or replaced. */
  readonly onUnknownScript: () => void;
}

/**
 * Creates a function that sends the calls of one command and parses the reply, in the format of `defineScript`.
 *
 * - ARGV: the time in a test, else empty; then for each call the server's time at which it expires, and its arguments.
 * - Reply: the server's time; then for each call its answer, `command_expired`, `left`, or an error.
 */
export function createSendCalls(
  redis: RedisClient,
  { clock, onUnknownScript }: SendCallsOptions,
): SendCalls<CommandOutcome<readonly unknown[]>> {
  return async (script, keys, calls) => {
    const args: (string | number)[] = [clock?.nowMs() ?? ''];
    for (const call of calls) args.push(...call);
    const reply = await runScript(redis, script, keys, args, onUnknownScript);
    const [serverTime, ...answers] = listOf(script, reply);
    const serverMs = Number(serverTime);
    return answers.map((each) => (each instanceof Error ? each : resultOf(script, each, serverMs)));
  };
}

function resultOf(
  script: AnyScript,
  reply: unknown,
  serverMs: number,
): CallResult<CommandOutcome<readonly unknown[]>> {
  const answer = listOf(script, reply);
  if (answer[0] === 'left') return 'left';
  return answer[0] === 'command_expired'
    ? { outcome: 'expired', serverMs }
    : { outcome: 'applied', answer, serverMs };
}

function listOf(script: AnyScript, reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new Error(`The script ${script.name} answered without a list.`);
}
