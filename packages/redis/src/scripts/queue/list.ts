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
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { LOG_ENTRY_TEXT } from './fragments/log-entry.ts';
import { MESSAGE_TIMES } from './fragments/message.ts';

/** How many entries of a log one call reads, so that Redis is not busy for long where many have expired. */
const MAX_READ = 200;
/** How many calls one page takes at most: about as many as fit before the deadline. */
const MAX_CALLS = 100;

/**
 * Reads entries of a webhook's log, newest first, those before the sequence `after`; empty: from the newest.
 *
 * Outcomes: `listed`, with the sequence of the last entry that it read (0: there are no more), whether the webhook is
 * disabled, and the entries whose messages are stored; `unknown`.
 */
const script = defineScript({
  name: 'queue/list',
  keys: ['root'],
  args: { webhook: 'text', after: 'text', limit: 'number' },
  uses: [KEY_OF, LOG_ENTRY_TEXT, MESSAGE_TIMES],
  lua: `
local event, disabledAtMs, logFirst, cursor = unpack(redis.call('HMGET', keyOf('webhook', webhook), 'event', 'disabledAtMs',
  'logFirst', 'cursor'))
if not event then return answer('unknown') end
local first, logKey = tonumber(logFirst or 1), keyOf('log', webhook)
local before = math.min(tonumber(after) or math.huge, first + redis.call('LLEN', logKey))
local from = math.max(first, before - limit)
if before <= first then return answer('listed', 0, 0, {}) end
local ids, enteredAtMs = {}, {}
for place, entry in ipairs(redis.call('LRANGE', logKey, from - first, before - 1 - first)) do
  enteredAtMs[place], ids[place] = parseEntry(entry)
end
local texts = redis.call('HMGET', keyOf('deliveries', webhook), unpack(ids))
local retries = redis.call('ZMSCORE', keyOf('retries', webhook), unpack(ids))
local account, entries = webhook:match('^([^/]*)/'), {}
for place = #ids, 1, -1 do
  local message = redis.call('GETRANGE', keyOf('message', account .. '/' .. ids[place]), 0, 255)
  local sequence = from + place - 1
  local isWaiting = (retries[place] or sequence >= tonumber(cursor or 1)) and 1 or 0
  local createdAtMs, expiresAtMs = messageTimes(message)
  if createdAtMs == enteredAtMs[place] and now < expiresAtMs then
    entries[#entries + 1] = {ids[place], sequence, message:match('^[^\\n]*'), texts[place] or '', retries[place] or '',
      isWaiting}
  end
end
return answer('listed', from > first and from or 0, disabledAtMs and 1 or 0, entries)
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
  const found: ListedDelivery[] = [];
  let from = String(after ?? '');
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const isFirst = calls === 0;
    const args = { webhook, after: from, limit: isFirst ? limit : MAX_READ };
    const reply = await call(script, keys, args, { deadline });
    if (reply.outcome(['listed', 'unknown']) === 'unknown') return null;
    const readUntil = reply.integer();
    const isDisabled = reply.integer() === 1;
    for (const entry of reply.list().lists()) {
      found.push(parseEntry(entry, ref, isDisabled));
      if (found.length === limit) return found;
    }
    if (readUntil === 0) return found;
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
  const known = text?.sequence === sequence ? text : null;
  const isWaiting = reply.at(at.isWaiting).integer() === 1;
  const state = stateOf(known, { isWaiting, isDisabled });
  return {
    ...{ accountId, webhookId, deliveryId, event, sequence, state },
    deadReason: known?.reason ?? null,
    createdAtMs: Number(createdAtMs),
    nextAttemptAtMs: state === 'waiting' ? nextAttemptOf(reply.at(at.retryAtMs).text()) : null,
    attempts: known?.attempts ?? [],
  };
}

/**
 * A returned delivery, which was claimed and not started, has no such time: its score is negative, and it is claimed
 * next.
 */
function nextAttemptOf(score: string): number | null {
  return score === '' || score.startsWith('-') ? null : Math.ceil(Number(score));
}

function stateOf(
  known: { readonly state: string; readonly attempt: number } | null,
  { isWaiting, isDisabled }: { readonly isWaiting: boolean; readonly isDisabled: boolean },
): DeliveryState {
  if (known?.state === 'delivered') return 'delivered';
  if (known?.state === 'failed') return 'dead';
  if (!isWaiting) return 'sending';
  if (isDisabled) return 'held';
  return known === null || known.attempt === 0 ? 'queued' : 'waiting';
}

/** Parses the text that `deliveryText` wrote. */
function parseText(text: string) {
  if (text === '') return null;
  const [head = '', ...lines] = text.split('\n');
  const [sequence = '', state = '', attempt = '', , , , , , why] = head.split(' ');
  const reason = DEAD_REASONS.find((one): one is DeadReason => one === why) ?? null;
  return {
    ...{ sequence: Number(sequence), state, attempt: Number(attempt), reason },
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
