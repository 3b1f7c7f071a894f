import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * The last byte that is read for the two times at the beginning of a message. They always end before it: a time has at
 * most 16 digits.
 */
const TIMES_END = 63;

/**
 * A message is one text, so that a single SET checks that the message is new, stores it and sets its time to live. The
 * first line has the time of publishing, the expiry and the event; the second line has the ids of the webhooks; the
 * rest is the body.
 *
 * `messageTimes(text)`: the time of publishing, as text, which is only compared; and the expiry, ms.
 */
export const MESSAGE_TIMES = defineFragment({
  lua: `
local function messageTimes(text)
  local createdAt, expiresAtMs = text:match('^(%d+) (%d+)')
  return createdAt, tonumber(expiresAtMs)
end
`,
});

/**
 * `storedMessageTimes(accountId, id)`: like `messageTimes`, for a message in Redis; `nil` if it is not stored. It reads
 * only the beginning, as the body may be long.
 */
export const STORED_MESSAGE_TIMES = defineFragment({
  uses: [KEY_OF, MESSAGE_TIMES],
  lua: `
local function storedMessageTimes(accountId, id)
  return messageTimes(redis.call('GETRANGE', ownedKey('message', accountId, id), 0, ${TIMES_END}))
end
`,
});

/**
 * `webhookIdsOf(messageKey)`: the ids of the message's webhooks; `nil` if the message is not stored or has expired.
 *
 * Outer values: `now`.
 */
export const WEBHOOK_IDS_OF = defineFragment({
  lazyFunction: 'webhookIdsOf(messageKey)',
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

/**
 * Parses a message in the format of {@link MESSAGE_TIMES}. This is done in TypeScript because Lua would hash every byte
 * of the body to create the string.
 */
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
