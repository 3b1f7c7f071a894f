import { RATE_LIMIT_PERIOD_MS, type WebhookSettings } from '../webhook-store.ts';

/**
 * The starts that count towards the rate limit of a webhook, oldest first: each entry has the latest time at which its
 * attempts begin, ms, and their number. The last entry is kept even after it has left the window, for a change of the
 * period: see {@link fillWindow}.
 */
export type StartWindow = readonly (readonly [beginByMs: number, count: number])[];

/** The rate limit of a webhook. */
export type Rate = Pick<WebhookSettings, 'rateLimit' | 'rateLimitPeriod'>;

/** A window has about twice as many entries at most, whatever the rate limit, so that its row stays small. */
const ENTRIES_PER_PERIOD = 50;

/**
 * The number of attempts that may start now; can be negative after the limit was lowered. At most `rateLimit` attempts
 * start in any window of the period, because each entry counts until a period after the latest time at which its
 * attempts begin.
 */
export function freeStarts(window: StartWindow, rate: Rate, nowMs: number): number {
  return entriesWithin(window, rate, nowMs).reduce(
    (free, [, count]) => free - count,
    rate.rateLimit,
  );
}

/** When the oldest starts leave the window, ms; `null`: it is empty. */
export function freeAtMs(window: StartWindow, rate: Rate, nowMs: number): number | null {
  const [oldest] = entriesWithin(window, rate, nowMs);
  return oldest === undefined ? null : oldest[0] + RATE_LIMIT_PERIOD_MS[rate.rateLimitPeriod];
}

/**
 * The window with `count` more starts that begin by `beginByMs`, and without the entries that have left it.
 *
 * Starts join the last entry, which moves to their time. Once it is a fiftieth of the period later than the entry
 * before it, the next start begins an entry.
 */
export function addStarts(
  window: StartWindow,
  [beginByMs, count]: StartWindow[number],
  rate: Rate,
  nowMs: number,
): StartWindow {
  const entries = entriesWithin(window, rate, nowMs);
  const last = entries.at(-1);
  const nextToLast = entries.at(-2);
  const spanOfEntryMs = RATE_LIMIT_PERIOD_MS[rate.rateLimitPeriod] / ENTRIES_PER_PERIOD;
  if (last === undefined) return [[beginByMs, count]];
  const isLastOpen = nextToLast !== undefined && beginByMs - nextToLast[0] < spanOfEntryMs;
  if (!isLastOpen && beginByMs > last[0]) return [...entries, [beginByMs, count]];
  return [...entries.slice(0, -1), [Math.max(last[0], beginByMs), last[1] + count]];
}

/**
 * Fills the window with `maxLimit` starts at the time of the last start. Used when the period is changed from a second
 * to a minute, because the starts of the last minute are no longer known.
 */
export function fillWindow(window: StartWindow, maxLimit: number): StartWindow {
  return window.slice(-1).map(([beginByMs]) => [beginByMs, maxLimit]);
}

function entriesWithin(window: StartWindow, rate: Rate, nowMs: number): StartWindow {
  const periodMs = RATE_LIMIT_PERIOD_MS[rate.rateLimitPeriod];
  const first = window.findIndex(([beginByMs]) => nowMs - beginByMs < periodMs);
  return first === -1 ? [] : window.slice(first);
}
