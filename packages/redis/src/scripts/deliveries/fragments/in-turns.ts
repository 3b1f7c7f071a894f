/**
 * `inTurns(place, others, isFirst, wasRetryLast)`: how many are before the one at this place of its line, if the lines
 * take turns and the other one has so many. `wasRetryLast` is false where a first try started last.
 */
export const IN_TURNS = `
local function inTurns(place, others, isFirst, wasRetryLast)
  return place + math.min(others, place + (isFirst == wasRetryLast and 0 or 1))
end
`;
