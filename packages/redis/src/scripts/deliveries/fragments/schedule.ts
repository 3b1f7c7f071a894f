import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { ACTIVATE } from './activate.ts';

/** `schedule(webhook, id, atMs, activeMs)`: a delivery is to be asked for then. Answers as `activate`. */
export const SCHEDULE = defineFragment({
  uses: [ACTIVATE, DIGITS, KEY_OF],
  lua: `
local function schedule(webhook, id, atMs, activeMs)
  redis.call('ZADD', keyOf('due', webhook), digits(atMs), id)
  return activate(webhook, atMs, activeMs)
end
`,
});
