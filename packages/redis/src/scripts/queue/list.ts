import type {
  DeadReason,
  DeliveryState,
  ListedDelivery,
  Page,
  WebhookRef,
} from '@latchhook/core/storage';
import { type CallDeadline, DEAD_REASONS, StorageUnavailableError } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { LOG_ENTRY } from '../../queue-records.ts';
import type { CallScript } from '../../script-caller.ts';
import type { ScriptReply } from '../../script-reply.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { LOG_ENTRY_TEXT } from './fragments/log-entry.ts';
import { MESSAGE_TIMES } from './fragments/message.ts';
import { TRIM_LOG } from './fragments/trim-log.ts';

/** How many entries of a log one call reads, so that Redis is not busy for long if many have expired. */
const MAX_READ = 200;
/** How many expired entries one call removes at most. */
const MAX_TRIMMED = 500;
/** How many calls one page takes at most: about as many as fit before the deadline. */
const MAX_CALLS = 100;

/**
 * Reads entries of a webhook's log before the sequence `after`, newest first. An empty `after`: from the newest.
 *
 * Outcomes: `listed`, with the sequence of the last entry that was read (0: there are no more), whether the webhook is
 * disabled, and the entries whose messages are stored; `unknown`.
 *
 * If all of the entries have expired, it also trims the log: publishing trims it too, but few may be published after a
 * burst, and a list must not skip the whole burst each time.
 */
const script = defineScript({
  name: 'queue/list',
  keys: ['root'],
  args: { webhook: 'text', after: 'text', limit: 'number' },
  uses: [KEY_OF, CHANGES, LOG_ENTRY_TEXT, MESSAGE_TIMES, TRIM_LOG],
  lua: `
local event, disabledAtMs, logFirst, cursor = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'event', 'disabledAtMs',
  'logFirst', 'cursor'))
if not event then return reply('unknown') end
local first, logKey = tonumber(logFirst or 1), keyOf('log', webhook)
local before = math.min(tonumber(after) or math.huge, first + redis.call('LLEN', logKey))
local from = math.max(first, before - limit)
if before <= first then return reply('listed', 0, 0, {}) end
local ids, enteredAt = {}, {}
for index, entry in ipairs(redis.call('LRANGE', logKey, from - first, before - 1 - first)) do
  enteredAt[index], ids[index] = parseEntry(entry)
end
local texts = redis.call('HMGET', keyOf('deliveries', webhook), unpack(ids))
local retries = redis.call('ZMSCORE', keyOf('retries', webhook), unpack(ids))
local account, entries = webhook:match('^([^/]*)/'), {}
for index = #ids, 1, -1 do
  local message = redis.call('GETRANGE', ownedKey('message', account, ids[index]), 0, 255)
  local sequence = from + index - 1
  local isWaiting = (retries[index] or sequence >= tonumber(cursor or 1)) and 1 or 0
  local createdAt, expiresAtMs = messageTimes(message)
  if createdAt == enteredAt[index] and now < expiresAtMs then
    entries[#entries + 1] = {ids[index], sequence, message:match('^[^\\n]*'), texts[index] or '', retries[index] or '',
      isWaiting}
  end
end
if #entries == 0 then
  local changes = {}
  trimLog(webhook, first, changes, ${MAX_TRIMMED})
  saveChanges(webhook, changes)
end
return reply('listed', from > first and from or 0, disabledAtMs and 1 or 0, entries)
`,
});

export async function list(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { limit, after }: Page,
  deadline: CallDeadline,
): Promise<readonly ListedDelivery[] | null> {
  const webhook = webhookName(ref);
  const deliveries: ListedDelivery[] = [];
  let from = String(after ?? '');
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const isFirst = calls === 0;
    const args = { webhook, after: from, limit: isFirst ? limit : MAX_READ };
    const reply = await call(script, keys, args, { deadline });
    if (reply.outcome(['listed', 'unknown']) === 'unknown') return null;
    const readUntil = reply.integer();
    const isDisabled = reply.integer() === 1;
    for (const entry of reply.list().lists()) {
      deliveries.push(parseEntry(entry, ref, isDisabled));
      if (deliveries.length === limit) return deliveries;
    }
    if (readUntil === 0) return deliveries;
    from = String(readUntil);
  }
  throw new StorageUnavailableError('More of a log has expired than is skipped for one page.');
}

function parseEntry(
  reply: ScriptReply,
  { accountId, webhookId }: WebhookRef,
  isDisabled: boolean,
): ListedDelivery {
  const { at } = LOG_ENTRY;
  const deliveryId = reply.at(at.deliveryId).text();
  const sequence = reply.at(at.sequence).integer();
  const [createdAtMs = '', , event = ''] = reply.at(at.message).text().split(' ');
  const text = parseText(reply.at(at.text).text());
  // The text may belong to an earlier, expired message with the same id.
  const delivery = text?.sequence === sequence ? text : null;
  const isWaiting = reply.at(at.isWaiting).integer() === 1;
  const state = stateOf(delivery, { isWaiting, isDisabled });
  return {
    accountId,
    webhookId,
    deliveryId,
    event,
    sequence,
    state,
    deadReason: delivery?.reason ?? null,
    createdAtMs: Number(createdAtMs),
    nextAttemptAtMs: state === 'waiting' ? nextAttemptOf(reply.at(at.retryAtMs).text()) : null,
    attempts: delivery?.attempts ?? [],
  };
}

/**
 * A returned delivery, which was claimed and not started, has no time of a next attempt: its score is negative, and it
 * is claimed next.
 */
function nextAttemptOf(score: string): number | null {
  return score === '' || score.startsWith('-') ? null : Math.ceil(Number(score));
}

function stateOf(
  delivery: { readonly state: string; readonly attempt: number } | null,
  { isWaiting, isDisabled }: { readonly isWaiting: boolean; readonly isDisabled: boolean },
): DeliveryState {
  if (delivery?.state === 'delivered') return 'delivered';
  if (delivery?.state === 'failed') return 'dead';
  if (!isWaiting) return 'sending';
  if (isDisabled) return 'held';
  return delivery === null || delivery.attempt === 0 ? 'queued' : 'waiting';
}

/** Parses the text that `deliveryText` wrote. */
function parseText(text: string) {
  if (text === '') return null;
  const [head = '', ...lines] = text.split('\n');
  const [sequence = '', state = '', attempt = '', , , , , , reasonText] = head.split(' ');
  const reason = DEAD_REASONS.find((one): one is DeadReason => one === reasonText) ?? null;
  return {
    sequence: Number(sequence),
    state,
    attempt: Number(attempt),
    reason,
    attempts: lines.map(parseAttempt),
  };
}

function parseAttempt(line: string): ListedDelivery['attempts'][number] {
  const fields: unknown = JSON.parse(line);
  if (Array.isArray(fields)) {
    const [attempt, startedAtMs, status, durationMs, error]: readonly unknown[] = fields;
    if (
      typeof attempt === 'number' &&
      typeof startedAtMs === 'number' &&
      (status === null || typeof status === 'number') &&
      typeof durationMs === 'number' &&
      (error === null || typeof error === 'string')
    ) {
      return { attempt, startedAtMs, status, durationMs, error };
    }
  }
  throw new Error('Redis holds a malformed attempt of a delivery.');
}
