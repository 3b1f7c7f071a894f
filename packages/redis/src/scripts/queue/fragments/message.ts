import { defineFragment } from '../../../define-fragment.ts';

/**
 * A message is one text: so one command finds out whether it is new, stores it and gives it its end. Its first line has
 * when it was published, when it expires and its event; the second the ids of its webhooks; behind these is the body.
 *
 * `messageTimes(text)`: when it was published and when it expires, ms.
 */
export const MESSAGE_TIMES = defineFragment({
  lua: `
local function messageTimes(text)
  local createdAtMs, expiresAtMs = text:match('^(%d+) (%d+)')
  return tonumber(createdAtMs), tonumber(expiresAtMs)
end
`,
});

/** `webhookIdsOf(messageKey)`: of a message that is stored and has not expired, else `nil`. */
export const WEBHOOK_IDS_OF = defineFragment({
  rareFunction: 'webhookIdsOf(messageKey)',
  body: `
  local text = redis.call('GET', messageKey)
  if not text then return nil end
  local expiresAtMs, line = text:match('^%d+ (%d+) [^\\n]*\\n([^\\n]*)')
  if now >= tonumber(expiresAtMs) then return nil end
  local ids = {}
  for id in line:gmatch('%S+') do ids[#ids + 1] = id end
  return ids
`,
});

/** What {@link MESSAGE_TIMES} describes, cut apart here: Lua would hash every byte of a new string. */
export function parseMessage(text: string): {
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly event: string;
  readonly body: string;
} {
  const firstEnd = text.indexOf('\n');
  const createdEnd = text.indexOf(' ');
  const expiresEnd = text.indexOf(' ', createdEnd + 1);
  return {
    createdAtMs: Number(text.slice(0, createdEnd)),
    expiresAtMs: Number(text.slice(createdEnd + 1, expiresEnd)),
    event: text.slice(expiresEnd + 1, firstEnd),
    body: text.slice(text.indexOf('\n', firstEnd + 1) + 1),
  };
}
