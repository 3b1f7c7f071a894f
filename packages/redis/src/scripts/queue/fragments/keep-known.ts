import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `keepKnown(changes, kind, webhook, knownMs, untilMs, lingerMs)`: like `keepUntil`, for a key whose end is also in the
 * webhook's hash, as `<kind>UntilMs`. `knownMs` is the value of that field, so that most calls need no command. A new
 * end is added to `changes`.
 *
 * Redis deletes a key, and with it the time to live, when its last member is removed, while the field in the hash keeps
 * its value. That is safe while `lingerMs` is at most the retention of a new member: the member then lasts past the end
 * in the hash, and the key gets a new time to live here. If the retention was shortened meanwhile, the key gets one
 * only with the first message that lasts past the end in the hash; where nothing is published to the webhook any more,
 * the key stays.
 */
export const KEEP_KNOWN = defineFragment({
  uses: [CHANGES, KEY_OF],
  lua: `
local function keepKnown(changes, kind, webhook, knownMs, untilMs, lingerMs)
  if knownMs and untilMs < tonumber(knownMs) then return end
  redis.call('PEXPIRE', keyOf(kind, webhook), untilMs - now + lingerMs)
  change(changes, kind .. 'UntilMs', untilMs + lingerMs)
end
`,
});
