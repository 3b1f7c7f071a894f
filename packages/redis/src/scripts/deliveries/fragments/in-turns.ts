import { defineFragment } from '../../../define-fragment.ts';

/**
 * `inTurns(place, others, isFirst, wasRetryLast)`: how many go before the delivery at `place` of its line, as the two
 * lines take turns; `others` is the length of the other line. `wasRetryLast` is false where a first try started last.
 */
export const IN_TURNS = defineFragment({
  lua: `
local function inTurns(place, others, isFirst, wasRetryLast)
  return place + math.min(others, place + (isFirst == wasRetryLast and 0 or 1))
end
`,
});
