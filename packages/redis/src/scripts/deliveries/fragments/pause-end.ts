import { LONGEST_PAUSE_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';

/**
 * `pauseEnd(pausedUntilMs)`: when the last pause of a webhook ends or has ended, as its hash has it; `nil` or `false`
 * there, and 0 here, where it has never paused. So is an end that is too far ahead: it comes of a clock that was set
 * back, or of a replica with another clock that took over, and would keep the webhook waiting for as long.
 */
export const PAUSE_END = defineFragment({
  lua: `
local function pauseEnd(pausedUntilMs)
  local endMs = tonumber(pausedUntilMs or 0)
  return endMs - now <= ${LONGEST_PAUSE_MS} and endMs or 0
end
`,
});
