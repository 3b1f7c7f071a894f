import { defineFragment } from '../../../define-fragment.ts';
import { RATE } from './rate.ts';

/**
 * `obstacleTo(rate, rank, inFlight, maxInFlight)`: what keeps a delivery with `rank` others before it from starting:
 * 'rate', 'in_flight', or `nil`. It may start only where all of those could start too.
 */
export const OBSTACLE = defineFragment({
  uses: [RATE],
  lua: `
local function obstacleTo(rate, rank, inFlight, maxInFlight)
  if inFlight + rank >= maxInFlight then return 'in_flight' end
  if not mayStart(rate, rank) then return 'rate' end
end
`,
});
