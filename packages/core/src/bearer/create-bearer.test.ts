import { describe, expect, it } from 'vitest';
import { StorageUnavailableError } from '../errors.ts';
import {
  isPersonalAccessToken,
  newPersonalAccessToken,
} from '../personal-access-tokens/personal-access-token.ts';
import type { PersonalAccessTokenInfo } from '../personal-access-tokens/personal-access-token-info.ts';
import { createFaultGuard } from '../ports/fault-guard.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import { createAccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import { createIssueAccessToken } from '../tokens/issue-access-token.ts';
import { generateSigningKey } from '../tokens/signing-key.ts';
import { createSigningKeys } from '../tokens/signing-keys.ts';
import { createAuthenticate } from './authenticate.ts';
import type { BearerOutcome, BearerRequirement } from './bearer.ts';
import { createBearer } from './create-bearer.ts';

const NOW_MS = Date.UTC(2027, 0, 1);
const clock = { nowMs: () => NOW_MS };
const identity = { issuer: 'https://api.example.com', audience: 'api', clientId: 'latchhook' };
const keys = createSigningKeys([generateSigningKey()], clock);
const issue = createIssueAccessToken(keys, identity);

const subject = {
  userId: 'user-1',
  sessionId: 'session-1',
  scopes: ['user'],
  accounts: [1, 2],
  accountId: null,
  authTimeMs: NOW_MS,
  amr: ['pwd'],
} satisfies Partial<AccessTokenInfo>;

type Subject = Parameters<typeof issue>[0];

async function headerFor(changes: Partial<Subject> = {}): Promise<string> {
  const life = { nowMs: NOW_MS, lifetimeSeconds: 600 };
  return `Bearer ${issue({ ...subject, ...changes }, life)}`;
}

/** A bearer check over a real store that holds the session of {@link subject}. */
async function setup() {
  const { sessions } = memoryStorage({ clock });
  await sessions.create(
    {
      ...subject,
      clientAddress: null,
      userAgent: null,
      idleMs: 1e9,
      absoluteMs: 1e9,
      authenticationMs: 0,
    },
    { maxPerUser: 10 },
  );
  return { ...bearerOver(sessions), sessions };
}

function bearerOver(sessions: Pick<SessionStore, 'isLive'>) {
  const events: SecurityEvent[] = [];
  const emit = (event: SecurityEvent) => void events.push(event);
  const guard = createFaultGuard('storage', emit);
  let asked = 0;
  const authenticate = createAuthenticate({
    verifier: createAccessTokenVerifier({ ...identity, keys, clock }),
    sessions: {
      isLive: (ref) => {
        asked += 1;
        return guard(() => sessions.isLive(ref));
      },
    },
  });
  const bearer = createBearer(authenticate, emit);
  const check = async (header: string | undefined, requirement: BearerRequirement = {}) =>
    summary(await bearer.check(header, requirement));
  return { bearer, check, events, timesAsked: () => asked };
}

function summary(outcome: BearerOutcome) {
  if (outcome.ok) return 'passes';
  const { status, headers, body } = outcome.response;
  const { error } = JSON.parse(body) as { error: string };
  return { status, error, challenge: headers['www-authenticate'] };
}

const FORBIDDEN_ACCOUNT = {
  status: 403,
  error: 'access_denied',
  challenge: 'Bearer error="insufficient_scope"',
};
const BAD_TOKEN = {
  status: 401,
  error: 'invalid_token',
  challenge: expect.stringMatching(/^Bearer error="invalid_token", error_description="[^"\\]+"$/),
};
const UNAVAILABLE = { status: 503, error: 'temporarily_unavailable', challenge: undefined };

describe('a bearer check', () => {
  it('passes a valid token, and says whose it is', async () => {
    const { bearer } = await setup();
    expect(await bearer.check(await headerFor(), { scope: 'user' })).toMatchObject({
      ok: true,
      auth: {
        credential: 'access_token',
        ...subject,
        clientId: 'latchhook',
        expiresAtMs: NOW_MS + 600_000,
      },
    });
  });

  it('answers without a promise where the token was seen before', async () => {
    const { bearer } = await setup();
    const header = await headerFor();
    await bearer.check(header, {});
    expect(bearer.check(header, { scope: 'user', accountId: 1 })).toMatchObject({ ok: true });
    expect(bearer.check(header, { scope: 'admin' })).toMatchObject({ ok: false });
  });

  it('answers without a promise where no token came', async () => {
    const { bearer } = await setup();
    expect(bearer.check(undefined, {})).toMatchObject({ ok: false });
  });

  it.each([undefined, '', 'Basic dTpw'])('challenges %j without an error code', async (header) => {
    const { check } = await setup();
    expect(await check(header)).toEqual({
      status: 401,
      error: 'invalid_token',
      challenge: 'Bearer',
    });
  });

  it.each([
    'Bearer',
    'Bearer a b',
    'Bearer a.b.c',
    'Bearer é.é.é',
    'Bearer lh_pat_0',
    `Bearer ${'a'.repeat(9000)}`,
    'Bearer "\r\nset-cookie: x',
  ])('refuses %j, to the byte like any other bad token', async (header) => {
    const { check, bearer } = await setup();
    expect(await check(header)).toEqual(BAD_TOKEN);
    expect(await bearer.check(header, {})).toEqual(await bearer.check('Bearer x.y.z', {}));
  });

  it('forbids storing its answers', async () => {
    const { bearer } = await setup();
    expect(await bearer.check(undefined, {})).toMatchObject({
      response: { headers: { 'cache-control': 'no-store' } },
    });
  });
});

describe('the scope that a route requires', () => {
  it.each<[BearerRequirement['scope'] & object, Subject['scopes'], string | null]>([
    [[], ['user'], null],
    [['user'], ['user'], null],
    [['user', 'admin'], ['user', 'admin'], null],
    [['admin', 'user'], ['user'], 'user admin'],
    [['auth'], ['user', 'admin'], 'auth'],
  ])('of %j is judged against a token with %j', async (scope, scopes, missing) => {
    const { check } = await setup();
    expect(await check(await headerFor({ scopes }), { scope })).toEqual(
      missing === null
        ? 'passes'
        : {
            status: 403,
            error: 'insufficient_scope',
            challenge: `Bearer error="insufficient_scope", scope="${missing}"`,
          },
    );
  });
});

describe('the account that a route is about', () => {
  it.each<[string, Partial<Subject>, number, unknown]>([
    ['one of the user', {}, 2, 'passes'],
    ['one of somebody else', {}, 3, FORBIDDEN_ACCOUNT],
    ['the bound one', { accountId: 2 }, 2, 'passes'],
    ['another than the bound one', { accountId: 2 }, 1, FORBIDDEN_ACCOUNT],
    ['bound, but no longer of the user', { accountId: 3 }, 3, FORBIDDEN_ACCOUNT],
    ['asked of a user with none', { accounts: [] }, 1, FORBIDDEN_ACCOUNT],
  ])('may be %s', async (_, changes, accountId, expected) => {
    const { check } = await setup();
    expect(await check(await headerFor(changes), { accountId })).toEqual(expected);
  });

  it.each([undefined, Number.NaN])('lets nobody pass where it is %s', async (accountId) => {
    const { check } = await setup();
    expect(await check(await headerFor(), { accountId })).toEqual(FORBIDDEN_ACCOUNT);
  });

  it('is asked for after the scope', async () => {
    const { check } = await setup();
    expect(await check(await headerFor(), { scope: 'admin', accountId: 3 })).toMatchObject({
      error: 'insufficient_scope',
    });
  });
});

describe('the session behind a token', () => {
  it.each<Subject['scopes'][number]>(['admin', 'internal', 'auth'])(
    'is asked for at every request where the token carries %s',
    async (scope) => {
      const { check, timesAsked } = await setup();
      const header = await headerFor({ scopes: ['user', scope] });
      for (let request = 0; request < 3; request++) expect(await check(header)).toBe('passes');
      expect(timesAsked()).toBe(3);
    },
  );

  it('is not asked for where the token carries user alone, unless the route wants it', async () => {
    const { check, timesAsked } = await setup();
    const header = await headerFor();
    await check(header);
    await check(header);
    expect(timesAsked()).toBe(0);
    expect(await check(header, { checkSession: true })).toBe('passes');
    expect(timesAsked()).toBe(1);
  });

  it('ends the token with itself, on the very next request', async () => {
    const { check, sessions } = await setup();
    const admin = await headerFor({ scopes: ['user', 'admin'] });
    const user = await headerFor();
    expect(await check(admin)).toBe('passes');
    await sessions.revoke(subject);
    expect(await check(admin)).toEqual(BAD_TOKEN);
    expect(await check(user, { checkSession: true })).toEqual(BAD_TOKEN);
    expect(await check(user)).toBe('passes');
  });

  it('is judged before the scope', async () => {
    const { check, sessions } = await setup();
    await sessions.revokeAll(subject.userId);
    const header = await headerFor({ scopes: ['admin'] });
    expect(await check(header, { scope: 'auth' })).toEqual(BAD_TOKEN);
  });

  it.each([
    ['rejects', () => Promise.reject(new StorageUnavailableError('down'))],
    [
      'throws at once',
      () => {
        throw new Error('down');
      },
    ],
  ])('cannot be asked for where the store %s: admin gets 503, user passes', async (_, isLive) => {
    const { check, events } = bearerOver({ isLive });
    expect(await check(await headerFor({ scopes: ['user', 'admin'] }))).toEqual(UNAVAILABLE);
    expect(await check(await headerFor())).toBe('passes');
    expect(events).toEqual([
      { type: 'fault', where: 'storage', error: expect.objectContaining({ message: 'down' }) },
    ]);
  });

  it('does not live on an answer that is not a plain yes', async () => {
    const odd = { isLive: async () => undefined as unknown as boolean };
    const { check } = bearerOver(odd);
    expect(await check(await headerFor({ scopes: ['admin'] }))).toEqual(BAD_TOKEN);
  });
});

describe('a personal access token', () => {
  const token = newPersonalAccessToken();
  const info: PersonalAccessTokenInfo = {
    credential: 'personal_access_token',
    userId: 'user-1',
    scopes: ['user'],
    accounts: [1, 2],
    accountId: 1,
    tokenId: 'pat_1',
    issuedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 600_000,
  };

  /** A bearer check that takes the one token, and no access token. */
  function personalOnly() {
    const asked: unknown[] = [];
    const authenticate = createAuthenticate({
      verifier: { verify: () => Promise.reject(new Error('this is no access token')) },
      sessions: { isLive: () => Promise.reject(new Error('it has no session')) },
      usePersonalAccessToken: (presented, freshness) => {
        asked.push(freshness);
        return isPersonalAccessToken(presented)
          ? Promise.resolve(presented === token ? info : null)
          : null;
      },
    });
    return { bearer: createBearer(authenticate, () => {}), asked };
  }

  it('passes as an access token does, and says whose it is', async () => {
    const { bearer } = personalOnly();
    const requirement = { scope: 'user', accountId: 1 } as const;
    expect(await bearer.check(`Bearer ${token}`, requirement)).toEqual({ ok: true, auth: info });
  });

  it('is judged by scope, kind and account as an access token is', async () => {
    const { bearer } = personalOnly();
    const check = async (requirement: BearerRequirement) =>
      summary(await bearer.check(`Bearer ${token}`, requirement));
    expect(await check({ scope: 'admin', credential: 'access_token' })).toMatchObject({
      error: 'insufficient_scope',
    });
    expect(await check({ scope: 'user', credential: 'access_token' })).toEqual(FORBIDDEN_ACCOUNT);
    expect(await check({ credential: 'personal_access_token' })).toBe('passes');
    expect(await check({ accountId: 2 })).toEqual(FORBIDDEN_ACCOUNT);
  });

  it('may be remembered, but where the route wants to know that it lives', async () => {
    const { bearer, asked } = personalOnly();
    await bearer.check(`Bearer ${token}`, {});
    await bearer.check(`Bearer ${token}`, { checkSession: true });
    expect(asked).toEqual(['recent', 'current']);
  });

  it('that is none is refused like any other bad token, without a promise', () => {
    const { bearer } = personalOnly();
    const refusal = bearer.check(`Bearer lh_pat_${'0'.repeat(36)}`, {});
    expect(refusal).not.toBeInstanceOf(Promise);
    expect(summary(refusal as BearerOutcome)).toEqual(BAD_TOKEN);
  });

  it('that is unknown is refused alike', async () => {
    const { bearer } = personalOnly();
    expect(summary(await bearer.check(`Bearer ${newPersonalAccessToken()}`, {}))).toEqual(
      BAD_TOKEN,
    );
  });

  it('is refused where there are none', async () => {
    const { check } = await setup();
    expect(await check(`Bearer ${token}`)).toEqual(BAD_TOKEN);
  });
});

describe('a fault of the verifier', () => {
  it('is told, and answered 500', async () => {
    const error = new Error('broken');
    const authenticate = createAuthenticate({
      verifier: { verify: () => Promise.reject(error) },
      sessions: { isLive: async () => true },
    });
    const events: SecurityEvent[] = [];
    const bearer = createBearer(authenticate, (event) => events.push(event));
    expect(summary(await bearer.check('Bearer a.b.c', {}))).toMatchObject({ status: 500 });
    expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
  });
});
