import { AssertionError } from 'node:assert';
import { within } from '../actions/within.ts';
import { tryOnNew } from '../fixtures/fixture.ts';
import { CallLog } from './call-log.ts';
import type { Rule } from './contract.ts';
import type { EngineHarness } from './engine-harness.ts';
import type { EngineCase, EngineSuite } from './engine-suite.ts';
import { loggedEngine } from './logged-engine.ts';

/** A deadlock is told from a slow database by the length of the wait alone. */
const HANGS_AFTER_MS = 30_000;
/** Of what has failed: a transaction that hangs may keep its connections from being closed. */
const CLOSES_AFTER_MS = 2_000;

/**
 * Runs one proof on a newly opened engine.
 *
 * @throws {AssertionError} with the sentence of the contract, the call, and those before it
 */
export async function tryEngine(
  harness: EngineHarness,
  { clock }: Pick<EngineSuite, 'clock'>,
  { rule, prove }: EngineCase,
): Promise<void> {
  const log = new CallLog();
  let failure: AssertionError | undefined;
  await tryOnNew(
    {
      async open(options) {
        const opened = await harness.open(clock === 'turned' ? options : {});
        return {
          connect: async () => loggedEngine(await opened.connect(), log),
          ...(opened.disturb && {
            disturb: () => log.answered('disturb', [], () => opened.disturb?.()),
          }),
          async close() {
            const closed = opened.close();
            if (failure === undefined) await closed;
            else await within(CLOSES_AFTER_MS, closed, '').catch(() => {});
          },
        };
      },
    },
    async (fixture) => {
      const proved = prove({ ...fixture, engine: fixture.storage });
      await within(HANGS_AFTER_MS, proved, 'does not come to an end').catch((error: unknown) => {
        failure = brokenRule(rule, log, error);
        throw failure;
      });
    },
  );
}

function brokenRule(rule: Rule, log: CallLog, error: unknown): AssertionError {
  const { message, actual, expected } = Object(error) as Partial<AssertionError>;
  const text = [
    message ?? String(error),
    `  the contract: "${rule}"`,
    `  the call: ${log.last() ?? 'none'}`,
    '  before it:',
    ...log.beforeLast().map((line) => `    ${line}`),
  ].join('\n');
  const broken = new AssertionError({ message: text, actual, expected, operator: 'holds' });
  broken.cause = error;
  return broken;
}
