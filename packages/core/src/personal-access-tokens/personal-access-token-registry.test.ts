import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import type { SecondFactorCheck } from '../mfa/check-second-factor.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { userStatusOf } from '../users/entitlement.ts';
import type { User } from '../users/users.ts';
import { isPersonalAccessToken } from './personal-access-token.ts';
import {
  type CreateTokenOutcome,
  createPersonalAccessTokenRegistry,
  type PersonalAccessTokenFields,
} from './personal-access-token-registry.ts';

const NOW_MS = Date.UTC(2027, 0, 1);
const DEFAULT_SECONDS = 700;
const MAX_SECONDS = 900;
const CLIENT = { clientAddress: '192.0.2.1', userAgent: 'curl' };
const ADA: User = { id: 'ada', passwordHash: null, accounts: [1], scopes: ['user', 'auth'] };
const FIELDS: PersonalAccessTokenFields = {
  name: 'x',
  scopes: ['user'],
  accountId: null,
  lifetimeSeconds: undefined,
};

const LOGIN = { userId: 'ada', sessionId: 's1', authTimeMs: 0, amr: ['pwd'] };

function setup(user: User | null = ADA, factorCheck: SecondFactorCheck = 'no_factor') {
  const store = memoryStorage({ clock: { nowMs: () => NOW_MS } }).personalAccessTokens;
  const events: SecurityEvent[] = [];
  const factorChecks: unknown[] = [];
  const registry = createPersonalAccessTokenRegistry({
    store,
    checkUserStatus: async (login) => userStatusOf(user, login),
    checkSecondFactor: async (...args) => {
      factorChecks.push(args);
      return factorCheck;
    },
    scopeTable: builtInScopes,
    policy: {
      staleMs: 0,
      maxPerUser: 2,
      defaultLifetimeSeconds: DEFAULT_SECONDS,
      maxLifetimeSeconds: MAX_SECONDS,
    },
    emit: (event) => events.push(event),
  });
  const create = (fields: Partial<PersonalAccessTokenFields> = {}) =>
    registry.create(LOGIN, { ...FIELDS, ...fields }, CLIENT);
  return { store, registry, create, events, factorChecks };
}

async function createdToken(creation: Promise<CreateTokenOutcome>) {
  const outcome = await creation;
  if (outcome.outcome !== 'created') throw new Error(`not created: ${outcome.outcome}`);
  return outcome;
}

function codeOf(error: unknown): string {
  if (error instanceof AuthError) return error.code;
  throw error;
}

describe('a new personal access token', () => {
  it('is returned in full, while the storage has only its hash and its prefix', async () => {
    const { store, create } = setup();
    const { record, token } = await createdToken(create());
    expect(isPersonalAccessToken(token)).toBe(true);
    expect(record.prefix).toBe(token.slice(0, 11));
    expect(JSON.stringify([...(await store.list('ada', { limit: 9, after: null }))])).not.toContain(
      token.slice(12),
    );
  });

  it('lives as long as the policy says if no lifetime is requested', async () => {
    const { record } = await createdToken(setup().create());
    expect(record.expiresAtMs - record.createdAtMs).toBe(1000 * DEFAULT_SECONDS);
  });

  it.each([
    [600, 600],
    [MAX_SECONDS, MAX_SECONDS],
    [MAX_SECONDS + 1, MAX_SECONDS],
  ])('requested for %i seconds lives %i seconds', async (lifetimeSeconds, expectedSeconds) => {
    const { record } = await createdToken(setup().create({ lifetimeSeconds }));
    expect(record.expiresAtMs - record.createdAtMs).toBe(1000 * expectedSeconds);
  });

  it.each<[string, what: string, Partial<PersonalAccessTokenFields>, User | null]>([
    ['invalid_scope', 'it has a step-up scope', { scopes: ['auth'] }, ADA],
    ['invalid_scope', 'the user lacks one of its scopes', { scopes: ['user', 'admin'] }, ADA],
    ['membership_lost', 'the user does not have its account', { accountId: 2 }, ADA],
    ['user_disabled', 'the user is disabled', {}, { ...ADA, disabled: true }],
    ['user_gone', 'the user is gone', {}, null],
  ])('is rejected with %s if %s', async (code, _, fields, user) => {
    const { create, store, events } = setup(user);
    expect(await create(fields).then(({ outcome }) => outcome, codeOf)).toBe(code);
    expect(await store.list('ada', { limit: 9, after: null })).toEqual([]);
    expect(events).toEqual([]);
  });

  it.each<[SecondFactorCheck, string]>([
    ['satisfied', 'created'],
    ['no_factor', 'created'],
    ['required', 'factor_required'],
  ])('whose second factor check is %s has the outcome %s', async (factorCheck, outcome) => {
    const { create, store, events, factorChecks } = setup(ADA, factorCheck);
    expect((await create()).outcome).toBe(outcome);
    expect(factorChecks).toEqual([[ADA, LOGIN]]);
    const count = outcome === 'created' ? 1 : 0;
    expect(await store.list('ada', { limit: 9, after: null })).toHaveLength(count);
    expect(events).toHaveLength(count);
  });

  it('is rejected with limit_reached if the user has maxPerUser tokens', async () => {
    const { create } = setup();
    await create();
    await create();
    expect(await create().catch(codeOf)).toBe('limit_reached');
  });
});

describe('the revocation of a personal access token', () => {
  it('is emitted once, without the token', async () => {
    const { registry, create, events } = setup();
    const { record, token } = await createdToken(create());
    const { userId, tokenId, scopes, accountId, expiresAtMs } = record;
    const ref = { userId, tokenId };
    await registry.revoke(record, CLIENT);
    expect(await registry.revoke(record, CLIENT).catch(codeOf)).toBe('not_found');
    expect(events).toEqual([
      {
        type: 'personal_access_token.created',
        ...ref,
        scopes,
        accountId,
        expiresAtMs,
        ...CLIENT,
      },
      { type: 'personal_access_token.revoked', ...ref, accountId, actor: 'user', ...CLIENT },
    ]);
    expect(JSON.stringify(events)).not.toContain(token.slice(7));
  });

  it('passes no malformed id to the storage, because the id may be the token itself', async () => {
    const { registry, create, store } = setup();
    const { record, token } = await createdToken(create());
    const revokedIds: string[] = [];
    store.revoke = async ({ tokenId }) => revokedIds.push(tokenId) > 0;
    for (const tokenId of [token, token.slice(3), 'pat_', 'x', `${record.tokenId}x`]) {
      expect(await registry.revoke({ ...record, tokenId }, CLIENT).catch(codeOf)).toBe('not_found');
    }
    expect(revokedIds).toEqual([]);
  });

  it('is rejected with not_found for a token of another user', async () => {
    const { registry, create } = setup();
    const { record } = await createdToken(create());
    expect(await registry.revoke({ ...record, userId: 'alan' }, CLIENT).catch(codeOf)).toBe(
      'not_found',
    );
  });
});
