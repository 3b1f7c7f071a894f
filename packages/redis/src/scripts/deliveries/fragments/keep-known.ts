import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `keepKnown(kind, webhook, knownMs, untilMs, lingerMs)`: as `keepUntil`, of a key of which the webhook's hash
 * tells the end, in `<kind>UntilMs`. `knownMs` is that, as it was read.
 *
 * A key that lost its last member has lost its time to live with it, which the hash does not know. But everything in it
 * was over by then. So as long as `lingerMs` is no longer than what is new counts, that counts for longer than the hash
 * tells, and the key gets a new time to live. Where the retention was shortened, it gets one with the first message that
 * is kept for longer than the hash tells; the key of a webhook that nothing is published to any more stays.
 */
export const KEEP_KNOWN = defineFragment({
  uses: [CHANGES, KEY_OF],
  lua: `
local function keepKnown(kind, webhook, knownMs, untilMs, lingerMs)
  if knownMs and untilMs < tonumber(knownMs) then return end
  redis.call('PEXPIRE', keyOf(kind, webhook), untilMs - now + lingerMs)
  change(kind .. 'UntilMs', untilMs + lingerMs)
end
`,
});
