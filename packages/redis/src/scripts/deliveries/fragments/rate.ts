import { RATE_LIMIT_PERIOD_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { PAUSE_END } from './pause-end.ts';

/**
 * The rate of a webhook, by the times of its last starts. While the webhook pauses, it has no start left.
 *
 * - `rateOf(webhook, limit, period, marginMs, pausedUntilMs)`: the `rate` that the other functions take; the last as
 *   for `pauseEnd`.
 * - `startAt(rate, nth)`: the time of the nth newest start, from 0; `nil` where there were fewer.
 * - `hasStart(rate, rank)`: whether a start is free for the delivery with `rank` others before it, but for a pause. One
 *   command: it is, unless the `limit - rank`-th newest start is still in the window.
 * - `mayStart(rate, rank)`: whether it may start now.
 * - `settleStarts(rate)`: moves starts that are "later than now" to now. They come of a clock that was set back, or of
 *   a replica with another clock that took over, and would stop the rate for as long. Call it before a start is noted,
 *   so that the list stays in the order of time, and before it is reckoned when a start is free.
 *
 * The list is not cut to the limit: see `MAX_RATE_LIMIT`.
 */
export const RATE = defineFragment({
  uses: [KEY_OF, PAUSE_END],
  lua: `
local PERIODS = {second = ${RATE_LIMIT_PERIOD_MS.second}, minute = ${RATE_LIMIT_PERIOD_MS.minute}}

local function rateOf(webhook, limit, period, marginMs, pausedUntilMs)
  local windowMs = PERIODS[period] + marginMs
  return {startsKey = keyOf('starts', webhook), limit = tonumber(limit), windowMs = windowMs,
    gapMs = windowMs / limit, pauseEndsMs = pauseEnd(pausedUntilMs)}
end

local function startAt(rate, nth) return tonumber(redis.call('LINDEX', rate.startsKey, nth) or nil) end

local function hasStart(rate, rank)
  if rank >= rate.limit then return false end
  local startMs = startAt(rate, rate.limit - 1 - rank)
  return not startMs or now - startMs >= rate.windowMs
end

local function mayStart(rate, rank) return now >= rate.pauseEndsMs and hasStart(rate, rank) end

local function settleStarts(rate)
  local nth = 0
  while (startAt(rate, nth) or now) > now do
    redis.call('LSET', rate.startsKey, nth, now)
    nth = nth + 1
  end
end
`,
});
