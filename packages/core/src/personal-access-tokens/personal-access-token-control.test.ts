import { describe, expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { hashPersonalAccessToken, newPersonalAccessToken } from './personal-access-token.ts';
import { createPersonalAccessTokenControl } from './personal-access-token-control.ts';
import { MAX_TOKENS_PER_USER } from './personal-access-token-policy.ts';

/** The control of a storage in which Ada has these tokens. */
async function setup(tokens: readonly string[]) {
  const store = memoryStorage({ clock: { nowMs: () => 0 } }).personalAccessTokens;
  for (const [i, token] of tokens.entries()) {
    await store.create(
      {
        userId: 'ada',
        tokenId: `pat_${i}`,
        name: 'x',
        prefix: 'lh_pat_xxxx',
        scopes: ['user'],
        accountId: null,
        tokenHash: hashPersonalAccessToken(token),
        ttlMs: 60_000,
      },
      { maxPerUser: MAX_TOKENS_PER_USER },
    );
  }
  const lookedUpHashes: string[] = [];
  const events: SecurityEvent[] = [];
  const control = createPersonalAccessTokenControl(
    {
      list: (...args) => store.list(...args),
      revokeAll: (userId) => store.revokeAll(userId),
      revokeByHash: (tokenHash) => {
        lookedUpHashes.push(tokenHash);
        return store.revokeByHash(tokenHash);
      },
    },
    builtInScopes,
    (event) => events.push(event),
  );
  return { control, lookedUpHashes, events };
}

describe('personal access tokens, for the host', () => {
  it('are all listed, even if a user has the maximum of 1,000', async () => {
    const { control } = await setup(
      Array.from({ length: MAX_TOKENS_PER_USER }, newPersonalAccessToken),
    );
    expect(await control.list('ada')).toHaveLength(MAX_TOKENS_PER_USER);
  });

  it('are revoked by revokeLeaked, which returns and emits their owner', async () => {
    const token = newPersonalAccessToken();
    const { control, events } = await setup([token]);
    const owned = { userId: 'ada', tokenId: 'pat_0', accountId: null };
    expect(await control.revokeLeaked(token)).toMatchObject(owned);
    expect(await control.revokeLeaked(token)).toBeNull();
    expect(events).toEqual([{ type: 'personal_access_token.leaked', ...owned, ...UNKNOWN_CLIENT }]);
    expect(await control.list('ada')).toEqual([]);
  });

  it.each(['', 'eyJhbGciOiJFUzI1NiJ9.e30.x', `lh_pat_${'0'.repeat(36)}`])(
    'are not looked up for %j, whose form or checksum is invalid',
    async (garbage) => {
      const { control, lookedUpHashes, events } = await setup([]);
      expect(await control.revokeLeaked(garbage)).toBeNull();
      await control.revokeByHolder(garbage, UNKNOWN_CLIENT);
      expect(lookedUpHashes).toEqual([]);
      expect(events).toEqual([]);
    },
  );
});
