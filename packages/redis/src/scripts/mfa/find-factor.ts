import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { FIND_FACTOR, readFactor } from './fragments/find-factor.ts';

/**
 * Reads a user's factor.
 *
 * Outcomes: `found`, with the factor; `none`.
 *
 * It only reads, but is a script because scripts run on masters only. A plain read may go to a replica (`scaleReads` of
 * ioredis), which may not have the factor yet, so that the user could log in without the factor.
 */
const script = defineScript({
  name: 'find-factor',
  keys: ['factor', 'codes'],
  args: {},
  uses: [FAIL_ON_REPLICA, FIND_FACTOR],
  lua: `
failOnReplica('hash', factorKey)
local factor = findFactor(factorKey, codesKey)
if not factor then return reply('none') end
return reply('found', factor)
`,
});

export const findFactor: MfaMethod<'find'> =
  ({ call, keyspace }) =>
  async (userId) => {
    const reply = await call(script, keyspace.ofFactor(userId), {});
    if (reply.outcome(['found', 'none']) === 'none') return null;
    return readFactor(reply.list());
  };
