import { describe, expect, it } from 'vitest';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { type ClockTolerance, DEFAULT_CLOCK_TOLERANCE } from './access-token.ts';
import type { AccessTokenInfo } from './access-token-info.ts';
import { createAccessTokenVerifier } from './access-token-verifier.ts';
import { createIssueAccessToken } from './issue-access-token.ts';

const START_MS = Date.UTC(2027, 0, 1);
const LIFETIME_SECONDS = 600;
const LIFETIME_MS = 1_000 * LIFETIME_SECONDS;
const TOLERANCE_SECONDS = 60;
const TOLERANCE_MS = 1_000 * TOLERANCE_SECONDS;
const KEY_RETIRES_AFTER_MS = 60_000;
const HOUR_MS = 3_600_000;
const identity = { issuer: 'https://api.example.com', audience: 'api', clientId: 'latchhook' };
const subject = {
  userId: 'user-1',
  sessionId: 'session-1',
  scopes: ['user'],
  accounts: [1],
  accountId: null,
  authTimeMs: START_MS,
  amr: ['pwd'],
  claims: {},
} satisfies Partial<AccessTokenInfo>;

function setup({
  retiresAfterMs,
  cacheSize = 10,
  tolerance = DEFAULT_CLOCK_TOLERANCE,
}: {
  retiresAfterMs?: number;
  cacheSize?: number;
  tolerance?: ClockTolerance;
}) {
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs };
  const retiring = { key: generateSigningKey() };
  const keys = createSigningKeys(
    retiresAfterMs === undefined
      ? [retiring]
      : [{ ...retiring, retiresAt: new Date(START_MS + retiresAfterMs) }],
    clock,
  );
  const issue = createIssueAccessToken(keys, identity);
  return {
    issue: (lifetimeSeconds = 3600) => issue(subject, { nowMs, lifetimeSeconds }),
    verifier: createAccessTokenVerifier({
      ...identity,
      keys,
      clock,
      cacheSize,
      tolerance,
      scopeTable: builtInScopes,
      accountIdKind: 'integer',
    }),
    advanceClock: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('createAccessTokenVerifier', () => {
  it('returns the same content synchronously for a token that was verified before', async () => {
    const { issue, verifier } = setup({});
    const token = issue();
    const verification = verifier.verify(token);
    expect(verification).toBeInstanceOf(Promise);
    expect(verifier.verify(token)).toBeInstanceOf(Promise);
    const verified = await verification;
    const cached = verifier.verify(token);
    expect(cached).not.toBeInstanceOf(Promise);
    expect(cached).toBe(verified);
    expect(cached).toMatchObject({ outcome: 'valid', info: subject });
  });

  it('shares one verification between fifty parallel calls for a new token', async () => {
    const { issue, verifier } = setup({});
    const token = issue();
    const verifications = Array.from({ length: 50 }, () => verifier.verify(token));
    expect(new Set(verifications).size).toBe(1);
    await Promise.all(verifications);
  });

  it('verifies a token again after its eviction from the cache', async () => {
    const { issue, verifier } = setup({ cacheSize: 2 });
    const tokens = Array.from({ length: 4 }, () => issue());
    for (const token of tokens) await verifier.verify(token);
    const repeated = verifier.verify(tokens[0] ?? '');
    expect(repeated).toBeInstanceOf(Promise);
    expect(await repeated).toMatchObject({ outcome: 'valid' });
  });

  it('does not cache an invalid token', async () => {
    const { issue, verifier } = setup({});
    const invalidToken = `${issue()}A`;
    expect(await verifier.verify(invalidToken)).toMatchObject({ outcome: 'invalid' });
    expect(verifier.verify(invalidToken)).toBeInstanceOf(Promise);
  });

  it('rejects a cached token from the millisecond at which it expires', async () => {
    const { issue, verifier, advanceClock } = setup({});
    const token = issue(LIFETIME_SECONDS);
    await verifier.verify(token);
    advanceClock(LIFETIME_MS - 1);
    expect(verifier.verify(token)).toMatchObject({ outcome: 'valid' });
    advanceClock(1);
    expect(verifier.verify(token)).toEqual({ outcome: 'invalid', reason: 'expired' });
    // The call before has removed it from the cache.
    expect(await verifier.verify(token)).toEqual({ outcome: 'invalid', reason: 'expired' });
  });

  it('accepts a cached token within the tolerance around its lifetime', async () => {
    const tolerance = { expirySeconds: TOLERANCE_SECONDS, startSeconds: TOLERANCE_SECONDS };
    const { issue, verifier, advanceClock } = setup({ tolerance });
    const token = issue(LIFETIME_SECONDS);
    advanceClock(-TOLERANCE_MS);
    expect(await verifier.verify(token)).toMatchObject({ outcome: 'valid' });
    advanceClock(-1);
    expect(verifier.verify(token)).toEqual({ outcome: 'invalid', reason: 'not_yet_valid' });
    // The last millisecond within the tolerance.
    advanceClock(1 + TOLERANCE_MS + LIFETIME_MS + TOLERANCE_MS - 1);
    expect(await verifier.verify(token)).toMatchObject({ outcome: 'valid' });
    advanceClock(1);
    expect(verifier.verify(token)).toEqual({ outcome: 'invalid', reason: 'expired' });
  });

  it('rejects a cached token from the millisecond at which its key retires', async () => {
    const { issue, verifier, advanceClock } = setup({ retiresAfterMs: KEY_RETIRES_AFTER_MS });
    const token = issue();
    await verifier.verify(token);
    advanceClock(KEY_RETIRES_AFTER_MS - 1);
    expect(verifier.verify(token)).toMatchObject({ outcome: 'valid' });
    advanceClock(1);
    expect(verifier.verify(token)).toEqual({ outcome: 'invalid', reason: 'unknown_key' });
    // The call before has removed it from the cache.
    expect(await verifier.verify(token)).toEqual({ outcome: 'invalid', reason: 'unknown_key' });
  });

  it('accepts tokens of the previous key during a rotation until that key retires', async () => {
    let nowMs = START_MS;
    const clock = { nowMs: () => nowMs };
    const keys = createSigningKeys(
      [
        { key: generateSigningKey('RS256'), retiresAt: new Date(START_MS + 3 * HOUR_MS) },
        { key: generateSigningKey('ES256'), signsFrom: new Date(START_MS + HOUR_MS) },
      ],
      clock,
    );
    const issue = createIssueAccessToken(keys, identity);
    const verifier = createAccessTokenVerifier({
      accountIdKind: 'integer',
      ...identity,
      keys,
      clock,
      cacheSize: 100,
      tolerance: DEFAULT_CLOCK_TOLERANCE,
      scopeTable: builtInScopes,
    });
    const lifetimeSeconds = 86_400;

    const byOldKey = issue(subject, { nowMs, lifetimeSeconds });
    nowMs += HOUR_MS;
    const byNewKey = issue(subject, { nowMs, lifetimeSeconds });
    const outcomes = async () => {
      const verifications = await Promise.all([
        verifier.verify(byOldKey),
        verifier.verify(byNewKey),
      ]);
      return verifications.map(({ outcome }) => outcome);
    };
    expect(await outcomes()).toEqual(['valid', 'valid']);
    nowMs += 2 * HOUR_MS;
    expect(await outcomes()).toEqual(['invalid', 'valid']);
  });
});
