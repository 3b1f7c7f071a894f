import { describe, expect, it } from 'vitest';
import type { Scope } from '../../scope.ts';
import type { NewPersonalAccessToken } from '../personal-access-token-store.ts';
import { MemoryPersonalAccessTokenStore } from './memory-personal-access-token-store.ts';

const HOUR_MS = 3_600_000;
const ROOMY = { maxPerUser: 100 } as const;
const WHOLE = { limit: 100, after: null } as const;

function setUp() {
  let nowMs = Date.UTC(2026, 0, 1);
  return {
    tokens: new MemoryPersonalAccessTokenStore({ nowMs: () => nowMs }),
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
}

function newToken(tokenId: string, change: Partial<NewPersonalAccessToken> = {}) {
  return {
    userId: 'ada',
    tokenId,
    name: 'deploy',
    prefix: 'lh_pat_0aZ9',
    scopes: ['user'],
    accountId: null,
    tokenHash: `hash of ${tokenId}`,
    ttlMs: 24 * HOUR_MS,
    ...change,
  } as const;
}

// What the contract promises is certified by the testkit, in test/storage.
describe('MemoryPersonalAccessTokenStore', () => {
  it('keeps what it was given, whatever becomes of the array', async () => {
    const { tokens } = setUp();
    const scopes: Scope[] = ['user'];
    await tokens.create(newToken('t1', { scopes }), ROOMY);
    scopes.push('admin');
    expect((await tokens.list('ada', WHOLE))[0]?.scopes).toEqual(['user']);
  });

  it('stays in proportion to what lives, of users that come once each', async () => {
    const { tokens, advance } = setUp();
    for (let nth = 0; nth < 2000; nth += 1) {
      await tokens.create(newToken(`t${nth}`, { userId: `user ${nth}` }), ROOMY);
      advance(HOUR_MS);
    }
    expect(tokens.size).toBeLessThan(50);
  });

  it('stays in proportion to what lives, of a user who revokes what they create', async () => {
    const { tokens, advance } = setUp();
    for (let nth = 0; nth < 2000; nth += 1) {
      const token = newToken(`t${nth}`, { ttlMs: 366 * 24 * HOUR_MS });
      await tokens.create(token, ROOMY);
      await tokens.revoke(token);
      advance(6000);
    }
    expect(tokens.size).toBeLessThan(20);
  });
});
