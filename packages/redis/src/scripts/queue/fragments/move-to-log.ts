import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { EXTEND_TTL_BY_FIELD } from './extend-ttl-by-field.ts';

/**
 * `moveToLog(webhook, queue, count, untilMs, changes)`: moves the first `count` entries of `fresh` to the log, which
 * lives at least until `untilMs`, and returns them. `queue` has `cursor`, which is advanced, and `logUntilMs`.
 */
export const MOVE_TO_LOG = defineFragment({
  uses: [KEY_OF, DIGITS, CHANGES, EXTEND_TTL_BY_FIELD],
  lua: `
local function moveToLog(webhook, queue, count, untilMs, changes)
  local entries = redis.call('LPOP', keyOf('fresh', webhook), digits(count))
  local length = redis.call('RPUSH', keyOf('log', webhook), unpack(entries))
  -- A new key has no time to live yet, whatever the field says.
  local storedUntilMs = length > #entries and queue.logUntilMs
  extendTtlByField(changes, 'log', webhook, storedUntilMs, untilMs)
  queue.cursor = queue.cursor + #entries
  change(changes, 'cursor', digits(queue.cursor))
  return entries
end
`,
});
