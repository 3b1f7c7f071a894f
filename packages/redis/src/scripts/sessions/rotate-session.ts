import type { RotateOutcome, RotateRequest } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { SessionKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { parseSessionRecord, SESSION } from '../../session-record.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';
import { END_SESSION } from '../fragments/end-session.ts';
import { READ_SESSION } from '../fragments/read-session.ts';
import { TOUCH_SESSION } from '../fragments/touch-session.ts';

const { at } = SESSION;

/**
 * Exchanges a generation of a session for the next one.
 *
 * Outcomes: `rotated`, `rolled_forward`, `replayed`, each with the time and the record; `busy`, `reused`,
 * `expired`, `revoked`, `unknown`.
 *
 * One script reads and increments the generation. Otherwise two parallel refreshes would both succeed, and one family
 * of tokens would become two.
 */
const script = defineScript({
  name: 'rotate-session',
  keys: ['session', 'live', 'order'],
  args: {
    sessionId: 'text',
    generation: 'number',
    graceMs: 'number',
    idleMs: 'number',
    replayLimit: 'number',
    rollForwardLimit: 'number',
  },
  uses: [ASSERT_MASTER, END_SESSION, READ_SESSION, TOUCH_SESSION],
  lua: `
local record = readSession(sessionKey)
-- Checks for a replica, which may not have the session yet, so that its client would be logged out.
local function reject(outcome)
  assertMaster('ZREM', liveKey)
  return answer(outcome)
end
if not record then return reject('unknown') end
local expiresAtMs, rotatedAtMs = tonumber(record[${at.expiresAtMs}]), tonumber(record[${at.rotatedAtMs}])
local function isRevoked() return not redis.call('ZSCORE', liveKey, sessionId) end
if now >= expiresAtMs or now - rotatedAtMs >= idleMs then return reject(isRevoked() and 'revoked' or 'expired') end

local ahead = generation - tonumber(record[${at.generation}])
if ahead > rollForwardLimit then return reject(isRevoked() and 'revoked' or 'unknown') end

if ahead >= 0 then
  -- A session in \`order\` is live. One that is missing there was revoked, or had expired before the clock was set
  -- back.
  if redis.call('ZADD', orderKey, 'XX', 'CH', now, sessionId) == 0 then
    if isRevoked() then return answer('revoked') end
    redis.call('ZADD', orderKey, now, sessionId)
  end
  record[${at.rotatedAtMs}], record[${at.generation}] = now, generation + 1
  redis.call('HSET', sessionKey, 'rotatedAtMs', now, 'generation', generation + 1, 'replays', 0)
  local keys = {session = sessionKey, live = liveKey, order = orderKey}
  keepSession(keys, sessionId, math.min(expiresAtMs, now + idleMs))
  return answer(ahead == 0 and 'rotated' or 'rolled_forward', now, record)
end

if isRevoked() then return reject('revoked') end
-- Only the immediate predecessor is accepted: if older ones were, a thief that refreshes in lock-step would never be
-- detected.
if ahead == -1 and now - rotatedAtMs <= graceMs then
  if tonumber(redis.call('HGET', sessionKey, 'replays')) >= replayLimit then return answer('busy') end
  redis.call('HINCRBY', sessionKey, 'replays', 1)
  return answer('replayed', now, record)
end

endSession(liveKey, orderKey, sessionId)
return answer('reused')
`,
});

export async function rotateSession(
  call: CallScript,
  keys: SessionKeys,
  request: RotateRequest,
): Promise<RotateOutcome> {
  const reply = await call(script, keys, request);
  const outcome = reply.outcome([
    'rotated',
    'rolled_forward',
    'replayed',
    'busy',
    'reused',
    'expired',
    'revoked',
    'unknown',
  ]);
  switch (outcome) {
    case 'rotated':
    case 'rolled_forward':
    case 'replayed':
      return { outcome, nowMs: reply.integer(), session: parseSessionRecord(reply.list()) };
    default:
      return { outcome };
  }
}
