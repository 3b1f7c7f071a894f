import { StorageUnavailableError } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { ScriptReply } from '../../script-reply.ts';
import { parseSessionRecord } from '../../session-record.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { READ_SESSION } from '../fragments/read-session.ts';

/**
 * Lists a user's live sessions, most recently rotated first.
 *
 * `knownIds` is a JSON array of session ids; the keys of those sessions are appended to KEYS, in the same order.
 * Outcomes: `listed`, with the records; `incomplete`, with the ids of all live sessions, if one of them is not in
 * `knownIds`.
 *
 * A script may access only keys that are passed to it, and only the script knows which sessions are live. So the script
 * is usually called twice: without ids, then with the ids that it returned. `listed` is one consistent view.
 */
const script = defineScript({
  name: 'list-sessions',
  keys: ['live', 'order'],
  args: { knownIds: 'text' },
  uses: [FAIL_ON_REPLICA, READ_SESSION],
  lua: `
failOnReplica('zset', liveKey)
local keyOf = {}
for index, id in ipairs(cjson.decode(knownIds)) do keyOf[id] = KEYS[2 + index] end

local liveIds, records, isComplete = {}, {}, true
for _, id in ipairs(redis.call('ZREVRANGE', orderKey, 0, -1)) do
  local endsAtMs = redis.call('ZSCORE', liveKey, id)
  if endsAtMs and now < tonumber(endsAtMs) then
    liveIds[#liveIds + 1] = id
    if keyOf[id] then records[#records + 1] = readSession(keyOf[id]) else isComplete = false end
  end
end
if not isComplete then return reply('incomplete', liveIds) end
return reply('listed', records)
`,
});

/** The first call returns the ids, and the second call the records. Further calls are for logins between the two. */
const MAX_ROUNDS = 5;

export const listSessions: SessionMethod<'list'> =
  ({ call, keyspace, newDeadline }) =>
  async (userId) => {
    const keys = keyspace.ofUser(userId);
    const deadline = newDeadline();
    let knownIds: readonly string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const args = { knownIds: JSON.stringify(knownIds) };
      const moreKeys = knownIds.map(
        (sessionId) => keyspace.ofSession({ userId, sessionId }).session,
      );
      const reply: ScriptReply = await call(script, keys, args, { moreKeys, deadline });
      const outcome = reply.outcome(['listed', 'incomplete']);
      if (outcome === 'listed') return Array.from(reply.list().lists(), parseSessionRecord);
      knownIds = [...reply.list().texts()];
    }
    throw new StorageUnavailableError('Sessions of the user start faster than they can be listed.');
  };
