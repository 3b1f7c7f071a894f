import { defineScript } from '../../define-script.ts';
import {
  parseTokenRecord,
  serialiseTokenGrant,
  TOKEN,
} from '../../personal-access-token-record.ts';
import type { PersonalAccessTokenMethod } from '../../store-methods.ts';
import { EXTEND_TTL } from '../fragments/extend-ttl.ts';
import { LIVE_TOKENS } from './fragments/live-tokens.ts';
import { READ_TOKEN } from './fragments/read-token.ts';

/**
 * Stores a token, unless its user has reached the limit.
 *
 * Outcomes: `created`, with the record; `limit_reached`. If the hash is known, nothing changes, even if that token was
 * revoked: the outcome is `created` with the existing record.
 *
 * One script counts and adds. Otherwise parallel calls could all create the last token that the limit allows.
 *
 * The sequence is derived from the time. A counter for each user would have to outlive all tokens of the user: if it
 * restarted, a client that pages through the list would miss new tokens. One counter for all users would reveal to each
 * of them how many tokens there are.
 */
const script = defineScript({
  name: 'create-token',
  keys: ['root'],
  args: {
    tokenHash: 'text',
    userId: 'text',
    tokenId: 'text',
    grant: 'text',
    ttlMs: 'number',
    maxPerUser: 'number',
  },
  uses: [EXTEND_TTL, LIVE_TOKENS, READ_TOKEN],
  lua: `
local existingToken = readToken(tokenHash)
if existingToken then return reply('created', existingToken) end
local live = liveTokens(userId, '-inf')
if #live >= maxPerUser then return reply('limit_reached') end

local newest = live[#live] and tonumber(live[#live].record[${TOKEN.at.sequence}]) or 0
local sequence = math.max(now, newest + 1)
local expiresAtMs = now + ttlMs
redis.call('HSET', tokenKey(tokenHash), 'userId', userId, 'tokenId', tokenId, 'grant', grant,
  'sequence', sequence, 'createdAtMs', now, 'expiresAtMs', expiresAtMs)
redis.call('ZADD', liveKey(userId), sequence, tokenHash)
for _, key in ipairs({tokenKey(tokenHash), liveKey(userId)}) do extendTtl(key, expiresAtMs) end
return reply('created', readToken(tokenHash))
`,
});

export const createToken: PersonalAccessTokenMethod<'create'> =
  ({ call, tokenKeys }) =>
  async (token, { maxPerUser }) => {
    const args = { ...token, grant: serialiseTokenGrant(token), maxPerUser };
    const reply = await call(script, tokenKeys, args);
    const outcome = reply.outcome(['created', 'limit_reached']);
    if (outcome === 'limit_reached') return { outcome };
    return { outcome, token: parseTokenRecord(reply.list()) };
  };
