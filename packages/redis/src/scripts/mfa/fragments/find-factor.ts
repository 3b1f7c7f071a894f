import type { EnrolledFactor } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import type { ScriptReply } from '../../../script-reply.ts';

/** `findFactor(factorKey, codesKey)`: returns the factor of a user for `readFactor`, or `nil`. */
export const FIND_FACTOR = defineFragment({
  lua: `
local function findFactor(factorKey, codesKey)
  local encryptedSecret, enrolmentId, confirmedAtMs = unpack(
    redis.call('HMGET', factorKey, 'encryptedSecret', 'enrolmentId', 'confirmedAtMs'))
  if not encryptedSecret then return nil end
  return {encryptedSecret, enrolmentId, confirmedAtMs, redis.call('SCARD', codesKey)}
end
`,
});

export function readFactor(reply: ScriptReply): EnrolledFactor {
  return {
    encryptedSecret: reply.text(),
    enrolmentId: reply.text(),
    confirmedAtMs: reply.integer(),
    recoveryCodesLeft: reply.integer(),
  };
}
