import { defineFragment } from '../../../define-fragment.ts';
import { LINGER_MS } from '../../fragments/extend-ttl.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `extendRecordedTtl(changes, kind, webhook, recordedMs, untilMs)`: like `extendTtl`, for a key whose end is also
 * recorded in the webhook's hash, as `<kind>UntilMs`. `recordedMs` is the value of that field, so that most calls need
 * no command. A new end is added to `changes`.
 *
 * When the last member of a key is removed, Redis deletes the key with its time to live, but the field in the hash
 * keeps its value. A key that is created after that gets a time to live with the first member that lasts past the
 * value, such as one that was published an hour after the last removed member. If none is, it lasts as long as the
 * webhook.
 */
export const EXTEND_RECORDED_TTL = defineFragment({
  uses: [CHANGES, KEY_OF],
  lua: `
local function extendRecordedTtl(changes, kind, webhook, recordedMs, untilMs)
  if recordedMs and untilMs < tonumber(recordedMs) then return end
  redis.call('PEXPIRE', keyOf(kind, webhook), untilMs - now + ${LINGER_MS})
  change(changes, kind .. 'UntilMs', untilMs + ${LINGER_MS})
end
`,
});
