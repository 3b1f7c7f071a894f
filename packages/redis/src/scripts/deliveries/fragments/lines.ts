import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { IN_TURNS } from './in-turns.ts';

/**
 * The two lines in which deliveries of a webhook wait for rate or room: `queued` has first tries in the order of
 * publishing, `retries` all others in the order in which they began to wait. Those that are parked until there is room
 * are in `parked` or `parkedRetries` as well.
 *
 * A `line` is what is known of the webhook: `webhook`, `rate`, `wasRetryLast`, `activeMs` (see `ACTIVATE`), and the
 * counts `retries` and `parked` of its hash, which are `nil` where they were not read or are out of date.
 *
 * - `linesOf(isFirst)`: the kinds of a line, of those parked in it, and of the other line.
 * - `inFlightOf(webhook)`: how many attempts are in flight, of which the lease is not over.
 * - `rankOf(line, id, isFirst)`: how many are before a delivery that is in its line, or to join it.
 */
export const LINES = defineFragment({
  uses: [DIGITS, IN_TURNS, KEY_OF],
  lua: `
local function linesOf(isFirst)
  if isFirst then return 'queued', 'parked', 'retries' end
  return 'retries', 'parkedRetries', 'queued'
end

local function inFlightOf(webhook)
  return redis.call('ZCOUNT', keyOf('inFlight', webhook), '(' .. digits(now), '+inf')
end

local function lengthOf(line, kind)
  return kind == 'retries' and line.retries or redis.call('ZCARD', keyOf(kind, line.webhook))
end

local function rankOf(line, id, isFirst)
  local kind, _, other = linesOf(isFirst)
  local isEmpty = not isFirst and line.retries == 0
  local place = not isEmpty and redis.call('ZRANK', keyOf(kind, line.webhook), id) or lengthOf(line, kind)
  return inTurns(place, lengthOf(line, other), isFirst, line.wasRetryLast)
end
`,
});
