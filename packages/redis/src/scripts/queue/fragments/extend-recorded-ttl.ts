import { defineFragment } from '../../../define-fragment.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `extendRecordedTtl(changes, kind, webhook, recordedMs, untilMs, lingerMs)`: like `extendTtl`, for a key whose end is
 * also recorded in the webhook's hash, as `<kind>UntilMs`. `recordedMs` is the value of that field, so that most calls
 * need no command. A new end is added to `changes`.
 *
 * When the last member of a key is removed, Redis deletes the key with its time to live, but the field in the hash
 * keeps its value. That is safe while `lingerMs` is at most the retention of a new member: the member then lasts past
 * the recorded end, so this function gives the new key a time to live. If the retention was shortened, the key gets a
 * time to live only with the first message that lasts past the recorded end. If nothing is published to the webhook any
 * more, the key stays.
 */
export const EXTEND_RECORDED_TTL = defineFragment({
  uses: [CHANGES, KEY_OF],
  lua: `
local function extendRecordedTtl(changes, kind, webhook, recordedMs, untilMs, lingerMs)
  if recordedMs and untilMs < tonumber(recordedMs) then return end
  redis.call('PEXPIRE', keyOf(kind, webhook), untilMs - now + lingerMs)
  change(changes, kind .. 'UntilMs', untilMs + lingerMs)
end
`,
});
