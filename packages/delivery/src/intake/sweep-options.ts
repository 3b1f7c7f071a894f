import type { Timers } from '@latchhook/core/delivery';
import { assertNames, boundedInteger, LEASE_SLACK_MS, type NamesOf } from '@latchhook/core/storage';
import { unrefTimers } from '../unref-timers.ts';

/** So that what a dead process had in flight is found within a second of the end of its lease, jitter included. */
const DEFAULT_INTERVAL_MS = 400;
/** For attempts it is the slack of their lease, so that they are found as the lease ends. */
export const DEFAULT_GRACE_MS = LEASE_SLACK_MS;
/**
 * Short enough for deliveries that are returned to a process that dies before its engine has them: nobody else finds
 * them any sooner. Long enough for a standing backlog: what waits for a slot of its account is late, though not lost,
 * and all of it is returned once in this time and the grace. For 50,000 deliveries that is 250 pages, some 4 % of
 * Redis's time.
 */
export const DEFAULT_PUT_OFF_MS = 30_000;

/** How lost deliveries are looked for. */
export interface SweepOptions {
  /**
   * How often the store is asked, ms, give or take a fifth. Where its answer took long, the next time is later: after
   * fifty times as long, up to 5,000; and after 5,000 once this process has had nothing to send for 30 s. Default: 400.
   */
  readonly intervalMs?: number;
  /**
   * How late a delivery must be before it counts as lost, ms. With less, other processes sooner take deliveries out of
   * the line in which a process has those of a webhook come in order. Default: 5,000, which for attempts is when their
   * lease ends.
   */
  readonly graceMs?: number;
  /**
   * For how long a delivery that was found is not looked for again, ms, beside `graceMs`: meanwhile this process finds
   * others, and so do other processes. After that it is found again: the process that found it may have died. Default:
   * 30,000.
   */
  readonly putOffMs?: number;
  /** Default: Node's own, which do not keep the process alive. */
  readonly timers?: Timers;
}

const NAMES: NamesOf<SweepOptions> = {
  intervalMs: true,
  graceMs: true,
  putOffMs: true,
  timers: true,
};

/** {@link SweepOptions}, checked and with their defaults. */
export type ResolvedSweep = Required<SweepOptions>;

/**
 * @param group - as the integrator knows it: `bullmqDelivery.sweep`
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`
 */
export function resolveSweep(group: string, options: SweepOptions = {}): ResolvedSweep {
  assertNames(group, 'options_invalid', options, NAMES);
  const pauseOf = (name: 'intervalMs' | 'graceMs' | 'putOffMs', fallback: number, min: number) =>
    boundedInteger(`${group}.${name}`, options[name], fallback, [min]);
  return {
    // Without a pause a sweeper would ask the store as fast as that answers.
    intervalMs: pauseOf('intervalMs', DEFAULT_INTERVAL_MS, 1),
    graceMs: pauseOf('graceMs', DEFAULT_GRACE_MS, 0),
    putOffMs: pauseOf('putOffMs', DEFAULT_PUT_OFF_MS, 0),
    timers: options.timers ?? unrefTimers,
  };
}
