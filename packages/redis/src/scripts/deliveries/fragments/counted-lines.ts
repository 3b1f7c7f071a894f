import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * Lines that are mostly empty are counted in the webhook's hash, which every transition reads anyway: `retries`, and
 * `parked` for those parked in either line.
 *
 * `enter(kind, webhook, id, score)`, `leave(kind, webhook, id)`: ZADD and ZREM, of counted lines and of others.
 * Nothing else may add to a counted line or take from it.
 */
export const COUNTED_LINES = defineFragment({
  uses: [KEY_OF],
  lua: `
local COUNT_OF = {retries = 'retries', parked = 'parked', parkedRetries = 'parked'}

local function enter(kind, webhook, id, score)
  local isNew = redis.call('ZADD', keyOf(kind, webhook), score, id) == 1
  if isNew and COUNT_OF[kind] then redis.call('HINCRBY', keyOf('webhook', webhook), COUNT_OF[kind], 1) end
end

local function leave(kind, webhook, id)
  local wasThere = redis.call('ZREM', keyOf(kind, webhook), id) == 1
  if wasThere and COUNT_OF[kind] then redis.call('HINCRBY', keyOf('webhook', webhook), COUNT_OF[kind], -1) end
end
`,
});
