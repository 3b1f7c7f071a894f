import { RATE_LIMIT_PERIOD_MS, type WebhookSettings } from '../webhook-store.ts';

/**
 * The starts of a webhook that count for its rate, oldest first: for each the latest time by which they begin, ms, and
 * how many they are. The last stays though it has left the window, for a change of the period: see {@link fillWindow}.
 */
export type StartWindow = readonly (readonly [beginByMs: number, count: number])[];

/** What a webhook allows. */
export type Rate = Pick<WebhookSettings, 'rateLimit' | 'rateLimitPeriod'>;

/**
 * Starts within a part of the period are one entry, which leaves the window with the last of them: so a window has some
 * hundred entries at any rate, and a row that holds it stays small.
 */
const PARTS_OF_PERIOD = 50;

/**
 * How many may start now; negative where the limit was lowered. At most `rateLimit` start in any window of the period,
 * as each entry counts until a period after the latest time by which its attempts begin.
 */
export function freeStarts(window: StartWindow, rate: Rate, nowMs: number): number {
  const within = entriesWithin(window, rate, nowMs);
  return within.reduce((free, [, count]) => free - count, rate.rateLimit);
}

/** When the oldest starts leave the window, ms; `null`: it is empty. */
export function freeAtMs(window: StartWindow, rate: Rate, nowMs: number): number | null {
  const [oldest] = entriesWithin(window, rate, nowMs);
  return oldest === undefined ? null : oldest[0] + RATE_LIMIT_PERIOD_MS[rate.rateLimitPeriod];
}

/** The window with starts that begin by then, and without those that have left it. */
export function addStarts(
  window: StartWindow,
  [beginByMs, count]: StartWindow[number],
  rate: Rate,
  nowMs: number,
): StartWindow {
  const within = entriesWithin(window, rate, nowMs);
  const last = within.at(-1);
  const nextToLast = within.at(-2);
  const partMs = RATE_LIMIT_PERIOD_MS[rate.rateLimitPeriod] / PARTS_OF_PERIOD;
  const isClose = nextToLast !== undefined && beginByMs - nextToLast[0] < partMs;
  if (last === undefined || (!isClose && beginByMs > last[0])) {
    return [...within, [beginByMs, count]];
  }
  return [...within.slice(0, -1), [Math.max(last[0], beginByMs), last[1] + count]];
}

/**
 * Counts as many starts as any limit allows at the last one: starts that have left the window of a second are not known
 * any more, where the period becomes a minute.
 */
export function fillWindow(window: StartWindow, maxLimit: number): StartWindow {
  return window.slice(-1).map(([beginByMs]) => [beginByMs, maxLimit]);
}

function entriesWithin(window: StartWindow, rate: Rate, nowMs: number): StartWindow {
  const periodMs = RATE_LIMIT_PERIOD_MS[rate.rateLimitPeriod];
  const first = window.findIndex(([beginByMs]) => nowMs - beginByMs < periodMs);
  return first === -1 ? [] : window.slice(first);
}
