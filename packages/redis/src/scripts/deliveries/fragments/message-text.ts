/**
 * A message is one text, not a hash: so one command finds out whether it is new, stores it and gives it its end.
 * Before the first line feed are the time when it is forgotten and the ids of its webhooks, in JSON; behind it the body.
 *
 * `messageText(expiresAtMs, webhookIds, body)`.
 */
export const MESSAGE_TEXT = `
local function messageText(expiresAtMs, webhookIds, body)
  return string.format('%.0f ', expiresAtMs) .. cjson.encode(webhookIds) .. '\\n' .. body
end
`;

/** `webhooksOf(text)`: the ids; `nil` where the message is forgotten. */
export const WEBHOOKS_OF = `
local function webhooksOf(text)
  local expiresAtMs, webhookIds = text:match('^(%d+) (.-)\\n')
  return now < tonumber(expiresAtMs) and cjson.decode(webhookIds) or nil
end
`;

/** `bodyOf(text)`. */
export const BODY_OF = `
local function bodyOf(text) return text:sub(text:find('\\n', 1, true) + 1) end
`;
