import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `leaveInFlight(webhook, id)`: the attempt of a delivery is not in flight any more.
 *
 * It is in `inFlight`; or in `due`, if its lease was over and `overdue` has returned it.
 */
export const LEAVE_IN_FLIGHT = defineFragment({
  uses: [KEY_OF],
  lua: `
local function leaveInFlight(webhook, id)
  if redis.call('ZREM', keyOf('inFlight', webhook), id) == 1 then return end
  redis.call('ZREM', keyOf('due', webhook), id)
end
`,
});
