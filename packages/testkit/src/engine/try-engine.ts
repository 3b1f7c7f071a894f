import { AssertionError } from 'node:assert';
import { uncheckedFields } from '@latchhook/core/storage';
import { withTimeout } from '../actions/with-timeout.ts';
import { tryOnConnections } from '../fixtures/fixture.ts';
import { CallLog } from './call-log.ts';
import type { Rule } from './contract.ts';
import { EngineConnection } from './engine-connection.ts';
import type { EngineHarness } from './engine-harness.ts';
import type { EngineCase, EngineSuite } from './engine-suite.ts';
import { loggedEngine } from './logged-engine.ts';

/** Long enough to tell a deadlock from a slow database. */
const HANGS_AFTER_MS = 30_000;
/** For how long to wait for `close` after a failure: a transaction that hangs may never release a connection. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Runs a test case on a newly opened engine.
 *
 * @throws {AssertionError} with the sentence of the contract, the call, and the calls before
 */
export async function tryEngine(
  harness: EngineHarness,
  { clock }: Pick<EngineSuite, 'clock'>,
  { rule, prove }: EngineCase,
): Promise<void> {
  const log = new CallLog();
  let failure: AssertionError | undefined;
  await tryOnConnections(
    {
      async open(options) {
        const opened = await harness.open(clock === 'turned' ? options : {});
        return {
          connect: async () => loggedEngine(await opened.connect(), log),
          ...(opened.disturb && {
            disturb: () => log.logged('disturb', [], () => opened.disturb?.()),
          }),
          async close() {
            const closing = opened.close();
            if (failure === undefined) await closing;
            else await withTimeout(CLOSE_TIMEOUT_MS, closing, '').catch(() => {});
          },
        };
      },
    },
    (engine) => new EngineConnection(engine),
    (t) =>
      withTimeout(HANGS_AFTER_MS, prove(t), 'does not come to an end').catch((error: unknown) => {
        failure = failureOf(rule, log, error);
        throw failure;
      }),
  );
}

function failureOf(rule: Rule, log: CallLog, error: unknown): AssertionError {
  const { message, actual, expected } = uncheckedFields<AssertionError>(error);
  const text = [
    message ?? String(error),
    `  the contract: "${rule}"`,
    `  the call: ${log.last() ?? 'none'}`,
    '  before it:',
    ...log.beforeLast().map((line) => `    ${line}`),
  ].join('\n');
  const failure = new AssertionError({ message: text, actual, expected, operator: 'holds' });
  failure.cause = error;
  return failure;
}
