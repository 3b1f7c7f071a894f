/**
 * `obstacleTo(rate, rank, inFlight, maxInFlight)`: what keeps one from starting that has `rank` others before it: 'rate',
 * 'in_flight', `nil`. Those before it could start too, or it must not. Needs `RATE`.
 */
export const OBSTACLE = `
local function obstacleTo(rate, rank, inFlight, maxInFlight)
  if inFlight + rank >= maxInFlight then return 'in_flight' end
  if not mayStart(rate, rank) then return 'rate' end
end
`;
