import { type ListedDelivery, StorageUnavailableError } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { DeliveryMethod } from '../../store-methods.ts';
import { webhookName } from '../../webhook-keyspace.ts';
import { ACCOUNT_OF } from '../webhooks/fragments/account-of.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { LOG_ENTRY_TEXT } from './fragments/log-entry.ts';
import { MESSAGE_TIMES } from './fragments/message.ts';
import { TRIM_LOG } from './fragments/trim-log.ts';
import { LISTED_ENTRY, parseListedEntry } from './parse-listed-entry.ts';

/** How many entries one call reads, so that Redis is not busy for long if many have expired. */
const MAX_READ = 200;
/** The last byte of a message that is read: its first line, with two times and the event, is shorter. */
const FIRST_LINE_END = 255;
/** How many entries one call trims at most: the {@link MAX_CALLS} of a page trim more than a queue has by default. */
const MAX_TRIMMED = 2_000;
/** How many calls one page takes at most: about as many as fit before the deadline. */
const MAX_CALLS = 100;

/**
 * Reads entries of a webhook's log and of `fresh`, newest first: those before the entry with the sequence `after`, the
 * last of the previous page. An empty `after`: from the newest.
 *
 * Outcomes: `listed`, with the sequence of the last entry that was read (0: there are no more), whether the webhook is
 * disabled, and the entries whose messages are stored; `unknown`.
 *
 * If all of the entries have expired, it also trims them: claims do so too, but few may follow a burst, and a list must
 * not skip the whole burst each time. It trims with `pcall`, as a list must not fail if Redis rejects writes, for
 * example because replicas are missing.
 */
const script = defineScript({
  name: 'queue/list',
  keys: ['root'],
  args: { webhook: 'text', after: 'text', limit: 'number' },
  uses: [KEY_OF, ACCOUNT_OF, CHANGES, LOG_ENTRY_TEXT, MESSAGE_TIMES, TRIM_LOG],
  lua: `
local event, disabledAtMs, cursor = unpack(
  redis.call('HMGET', keyOf('webhook', webhook), 'event', 'disabledAtMs', 'cursor'))
if not event then return reply('unknown') end
cursor = tonumber(cursor or 1)
local logKey, freshKey = keyOf('log', webhook), keyOf('fresh', webhook)
local first = cursor - redis.call('LLEN', logKey)
local before = math.min(tonumber(after) or math.huge, cursor + redis.call('LLEN', freshKey))
local from = math.max(first, before - limit)
if before <= first then return reply('listed', 0, 0, {}) end
local ids, enteredAt = {}, {}
-- The key has the sequences from \`keyFrom\` to \`keyEnd\` - 1.
local function readEntries(key, keyFrom, keyEnd)
  local readFrom, readEnd = math.max(from, keyFrom), math.min(before, keyEnd)
  if readFrom >= readEnd then return end
  for _, entry in ipairs(redis.call('LRANGE', key, readFrom - keyFrom, readEnd - 1 - keyFrom)) do
    enteredAt[#ids + 1], ids[#ids + 1] = parseEntry(entry)
  end
end
readEntries(logKey, first, cursor)
readEntries(freshKey, cursor, before)
local texts = redis.call('HMGET', keyOf('deliveries', webhook), unpack(ids))
local retries = redis.call('ZMSCORE', keyOf('retries', webhook), unpack(ids))
local accountId, entries = accountOf(webhook), {}
for index = #ids, 1, -1 do
  local message = redis.call('GETRANGE', ownedKey('message', accountId, ids[index]), 0, ${FIRST_LINE_END})
  local sequence = from + index - 1
  local isWaiting = retries[index] or sequence >= cursor
  local createdAt, expiresAtMs = messageTimes(message)
  if createdAt == enteredAt[index] and now < expiresAtMs then
    entries[#entries + 1] = ${LISTED_ENTRY.of({
      deliveryId: 'ids[index]',
      sequence: 'sequence',
      firstLine: "message:match('^[^\\n]*')",
      text: "texts[index] or ''",
      retryAtMs: "retries[index] or ''",
      isWaiting: 'isWaiting and 1 or 0',
    })}
  end
end
if #entries == 0 then
  pcall(function()
    local changes = {}
    trimLog(webhook, {cursor = cursor}, changes, ${MAX_TRIMMED})
    saveChanges(webhook, changes)
  end)
end
return reply('listed', from > first and from or 0, disabledAtMs and 1 or 0, entries)
`,
});

export const list: DeliveryMethod<'list'> =
  ({ call, partitions, newDeadline }) =>
  async (ref, { limit, after }) => {
    const webhook = webhookName(ref);
    const deadline = newDeadline();
    const deliveries: ListedDelivery[] = [];
    let from = String(after ?? '');
    for (let calls = 0; calls < MAX_CALLS; calls += 1) {
      const args = { webhook, after: from, limit: calls === 0 ? limit : MAX_READ };
      const reply = await call(script, partitions.of(ref), args, { deadline });
      if (reply.outcome(['listed', 'unknown']) === 'unknown') return null;
      const readUntil = reply.integer();
      const isDisabled = reply.integer() === 1;
      for (const entry of reply.list().lists()) {
        deliveries.push(parseListedEntry(entry, ref, isDisabled));
        if (deliveries.length === limit) return deliveries;
      }
      if (readUntil === 0) return deliveries;
      from = String(readUntil);
    }
    throw new StorageUnavailableError('More of a log has expired than is skipped for one page.');
  };
