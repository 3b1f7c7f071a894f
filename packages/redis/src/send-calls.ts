import type { Clock } from '@latchhook/core';
import type { CommandOutcome } from '@latchhook/core/storage';
import type { RedisClient } from './redis-client.ts';
import { runScript } from './run-script.ts';
import type { CallResult, SendCalls } from './script-batches.ts';

type ScriptOutcome = CommandOutcome<readonly unknown[]>;
type ScriptResult = CallResult<ScriptOutcome>;

export interface SendCallsOptions {
  /** Replaces the time of Redis in tests. */
  readonly clock?: Clock | undefined;
  /** Called when Redis does not know a script: it may have been restarted or replaced. */
  readonly onUnknownScript: () => void;
}

/**
 * Creates a function that sends the calls of one command and parses the reply, in the format of `defineScript`.
 *
 * ARGV contains the time of a test (otherwise an empty string), and then, for each call, the server's time at which the
 * call expires and the arguments of the call. The reply contains the server's time, and then, for each call, an error
 * or the number of its values followed by the values; a single value may be `command_expired` or `not_run`.
 */
export function createSendCalls(
  redis: RedisClient,
  { clock, onUnknownScript }: SendCallsOptions,
): SendCalls<ScriptOutcome> {
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
