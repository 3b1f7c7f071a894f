import { defineFragment } from '../../../define-fragment.ts';
import { LINGER_MS } from '../../fragments/extend-ttl.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `extendTtlByField(changes, kind, webhook, storedUntilMs, untilMs)`: like `extendTtl`, for the key of this kind of a
 * webhook. The webhook's hash has the time at which the key expires, in the field `<kind>UntilMs`. The caller passes
 * the value of the field as `storedUntilMs`, so that most calls need no command. A new value is added to `changes`.
 *
 * The field may outlast the key: Redis deletes a key, and its time to live, with its last member. If members are added
 * after that, the new key has no time to live until a member lasts longer than the field says. If none does, the key
 * lasts as long as the webhook.
 *
 * Outer values: `now`.
 */
export const EXTEND_TTL_BY_FIELD = defineFragment({
  uses: [CHANGES, KEY_OF],
  lua: `
local function extendTtlByField(changes, kind, webhook, storedUntilMs, untilMs)
  if storedUntilMs and untilMs < tonumber(storedUntilMs) then return end
  redis.call('PEXPIRE', keyOf(kind, webhook), untilMs - now + ${LINGER_MS})
  change(changes, kind .. 'UntilMs', untilMs + ${LINGER_MS})
end
`,
});
