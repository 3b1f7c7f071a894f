import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';

/**
 * A message is one text, not a hash: so one command finds out whether it is new, stores it and gives it its end.
 * Before the first line feed are the time when it is forgotten and the ids of its webhooks, in JSON; behind it the
 * body.
 *
 * `messageText(expiresAtMs, webhookIds, body)`.
 */
export const MESSAGE_TEXT = defineFragment({
  uses: [DIGITS],
  lua: `
local function messageText(expiresAtMs, webhookIds, body)
  return digits(expiresAtMs) .. ' ' .. cjson.encode(webhookIds) .. '\\n' .. body
end
`,
});

/** `storedFor(messageKey)`: the ids of its webhooks; `nil` where the message is forgotten, or was never stored. */
export const STORED_FOR = defineFragment({
  rareFunction: 'storedFor(messageKey)',
  body: `
  local text = redis.call('GET', messageKey)
  if not text then return nil end
  local expiresAtMs, webhookIds = text:match('^(%d+) (.-)\\n')
  return now < tonumber(expiresAtMs) and cjson.decode(webhookIds) or nil
`,
});

/**
 * `bodyOf(text)`: the body of a stored message. Cut here and not in Lua, which hashes every byte of a new string, and
 * has to collect it.
 */
export function bodyOf(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
