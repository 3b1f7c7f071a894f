import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { MESSAGE_TIMES } from './message.ts';

/** The first line of a message begins with two times, which take at most 33 bytes. */
const LAST_BYTE_READ = 63;

/**
 * `storedMessageTimes(accountId, id)`: like `messageTimes`, for a message in Redis; `nil` if it is not stored. It reads
 * only the beginning, as the body may be long.
 */
export const STORED_MESSAGE_TIMES = defineFragment({
  uses: [KEY_OF, MESSAGE_TIMES],
  lua: `
local function storedMessageTimes(accountId, id)
  return messageTimes(redis.call('GETRANGE', ownedKey('message', accountId, id), 0, ${LAST_BYTE_READ}))
end
`,
});
