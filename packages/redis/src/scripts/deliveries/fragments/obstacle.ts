/**
 * `obstacleTo(rate, rank, inFlight, maxInFlight)`: what keeps a delivery with `rank` others before it from starting:
 * 'rate', 'in_flight', or `nil`. It may start only where all of those could start too. Needs `RATE`.
 */
export const OBSTACLE = `
local function obstacleTo(rate, rank, inFlight, maxInFlight)
  if inFlight + rank >= maxInFlight then return 'in_flight' end
  if not mayStart(rate, rank) then return 'rate' end
end
`;
