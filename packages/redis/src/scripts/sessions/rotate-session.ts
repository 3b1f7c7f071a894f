import { ROTATE_OUTCOMES } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseSessionRecord, SESSION } from '../../session-record.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { END_SESSION } from '../fragments/end-session.ts';
import { EXTEND_SESSION_TTL } from '../fragments/extend-session-ttl.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { READ_SESSION } from '../fragments/read-session.ts';

const { at } = SESSION;

/**
 * Exchanges a generation of a session for the next one.
 *
 * Outcomes: `rotated`, `rolled_forward`, `replayed`, each with the time and the record; `busy`, `reused`, `expired`,
 * `revoked`, `unknown`.
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
  uses: [FAIL_ON_REPLICA, END_SESSION, READ_SESSION, EXTEND_SESSION_TTL],
  lua: `
-- For outcomes that log the client out: a replica may not have the session yet. After a write, \`reply\` is enough
-- because a replica rejects every write.
local function replyUnlessReplica(outcome)
  failOnReplica('zset', liveKey)
  return reply(outcome)
end
local function isRevoked() return not redis.call('ZSCORE', liveKey, sessionId) end

local record = readSession(sessionKey)
if not record then return replyUnlessReplica('unknown') end
local expiresAtMs, rotatedAtMs = tonumber(record[${at.expiresAtMs}]), tonumber(record[${at.rotatedAtMs}])
local isExpired = now >= expiresAtMs or now - rotatedAtMs >= idleMs
local ahead = generation - tonumber(record[${at.generation}])

if not isExpired and ahead >= 0 and ahead <= rollForwardLimit then
  -- This ZADD both tests and updates: it returns 1 for a session in \`order\`, which is live. It returns 0 if the
  -- session was revoked, if its score is already \`now\`, or if it had expired before the clock was set back.
  if redis.call('ZADD', orderKey, 'XX', 'CH', now, sessionId) == 0 then
    if isRevoked() then return reply('revoked') end
    redis.call('ZADD', orderKey, now, sessionId)
  end
  record[${at.rotatedAtMs}], record[${at.generation}] = now, generation + 1
  redis.call('HSET', sessionKey, 'rotatedAtMs', now, 'generation', generation + 1, 'replays', 0)
  local keys = {session = sessionKey, live = liveKey, order = orderKey}
  extendSessionTtl(keys, sessionId, math.min(expiresAtMs, now + idleMs))
  return reply(ahead == 0 and 'rotated' or 'rolled_forward', now, record)
end

if isRevoked() then return replyUnlessReplica('revoked') end
if isExpired then return replyUnlessReplica('expired') end
if ahead > rollForwardLimit then return replyUnlessReplica('unknown') end
-- Only the immediate predecessor is accepted. If older generations were accepted, a thief that refreshes in lock-step
-- would never be detected.
if ahead == -1 and now - rotatedAtMs <= graceMs then
  if tonumber(redis.call('HGET', sessionKey, 'replays')) >= replayLimit then return reply('busy') end
  redis.call('HINCRBY', sessionKey, 'replays', 1)
  return reply('replayed', now, record)
end

endSession(liveKey, orderKey, sessionId)
return reply('reused')
`,
});

export const rotateSession: SessionMethod<'rotate'> =
  ({ call, keyspace }) =>
  async (request) => {
    const reply = await call(script, keyspace.ofSession(request), request);
    const outcome = reply.outcome(ROTATE_OUTCOMES);
    switch (outcome) {
      case 'rotated':
      case 'rolled_forward':
      case 'replayed':
        return { outcome, nowMs: reply.integer(), session: parseSessionRecord(reply.list()) };
      default:
        return { outcome };
    }
  };
