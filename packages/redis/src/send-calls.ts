import type { Clock } from '@latchhook/core';
import type { CommandOutcome } from '@latchhook/core/storage';
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
 * - ARGV: in a test the time, else empty; then for each call the server's time at which it expires, and its arguments.
 * - Reply: the server's time; then for each call an error, or the number of values of its result and these values. The
 *   result may be `command_expired` or `not_run`.
 */
export function createSendCalls(
  redis: RedisClient,
  { clock, onUnknownScript }: SendCallsOptions,
): SendCalls<CommandOutcome<readonly unknown[]>> {
  return async (script, keys, calls) => {
    const args: (string | number)[] = [clock?.nowMs() ?? ''];
    for (const call of calls) args.push(...call);
    const reply = await runScript(redis, script, keys, args, onUnknownScript);
    if (!Array.isArray(reply)) {
      throw new Error(`The script ${script.name} answered without a list.`);
    }
    return parseResults(reply);
  };
}

function parseResults(reply: readonly unknown[]): CallResult<CommandOutcome<readonly unknown[]>>[] {
  const serverMs = Number(reply[0]);
  const results: CallResult<CommandOutcome<readonly unknown[]>>[] = [];
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

function parseResult(
  answer: readonly unknown[],
  serverMs: number,
): CallResult<CommandOutcome<readonly unknown[]>> {
  if (answer[0] === 'not_run') return 'not_run';
  return answer[0] === 'command_expired'
    ? { outcome: 'expired', serverMs }
    : { outcome: 'applied', answer, serverMs };
}
