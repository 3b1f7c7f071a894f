import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `keepKnown(changes, kind, webhook, knownMs, untilMs, lingerMs)`: as `keepUntil`, for a key whose end is also in the
 * webhook's hash, as `<kind>UntilMs`. `knownMs` is that field as read: most calls need no command. A new end is noted
 * in `changes`.
 *
 * Redis drops the time to live with the last member of a key, and the hash does not notice. That is safe while
 * `lingerMs` is at most the time that a new member counts: it then counts past the end in the hash, and the key gets a
 * new time to live here. Where the retention was shortened, it gets one with the first message that is kept past the
 * end in the hash; the key of a webhook that nothing is published to any more stays.
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
