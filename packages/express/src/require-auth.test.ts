import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Auth, type AuthInfo, type MaybePromise, SCOPES } from '@latchhook/core';
import type { BearerOutcome, BearerRequirement } from '@latchhook/core/adapter';
import express, { type Express } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { authOf } from './auth-of.ts';
import { requireAuth } from './require-auth.ts';

const ADA: AuthInfo = {
  credential: 'access_token',
  userId: 'ada',
  scopes: ['user'],
  accounts: [1, 2],
  accountId: null,
  sessionId: 's',
  clientId: 'c',
  tokenId: 't',
  issuedAtMs: 0,
  expiresAtMs: 1,
  authTimeMs: 0,
  amr: ['pwd'],
  claims: {},
};

const closeAll: (() => void)[] = [];
afterEach(() => {
  for (const close of closeAll.splice(0)) close();
});

/** A promise that records itself and all promises derived from it, so that a test can await all of them. */
class RecordedPromise<Value> extends Promise<Value> {
  static readonly instances: Promise<unknown>[] = [];

  constructor(executor: ConstructorParameters<typeof Promise<Value>>[0]) {
    super(executor);
    RecordedPromise.instances.push(this);
  }
}

/** An `auth` whose check returns the result of `check`, and records its arguments. */
function authWith(check: () => MaybePromise<BearerOutcome>) {
  const calls: (readonly [string | undefined, BearerRequirement])[] = [];
  const auth: Pick<Auth, 'bearer'> = {
    bearer: {
      scopes: SCOPES,
      check(authorization, requirement) {
        calls.push([authorization, requirement]);
        return check();
      },
    },
  };
  return { auth, calls };
}

const passAda = (): BearerOutcome => ({ outcome: 'passed', auth: ADA });

async function get(app: Express, path: string): Promise<Response> {
  const server = app.listen(0, '127.0.0.1');
  closeAll.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer x' } });
}

describe('requireAuth for Express', () => {
  it('passes the requirement of the route and the account of the request to the check', async () => {
    const { auth, calls } = authWith(passAda);
    const app = express().get(
      '/accounts/:accountId',
      requireAuth(auth, {
        scope: 'admin',
        checkSession: true,
        account: (req) => Number(req.params['accountId']),
      }),
      (req, res) => res.send(req.auth?.userId),
    );
    expect(await (await get(app, '/accounts/2')).text()).toBe('ada');
    expect(calls).toEqual([['Bearer x', { scope: 'admin', checkSession: true, accountId: 2 }]]);
  });

  it('passes `accountId: undefined` to the check if `account` returns undefined', async () => {
    const { auth, calls } = authWith(passAda);
    const app = express().use(requireAuth(auth, { account: () => undefined }));
    await get(app, '/');
    expect(calls).toStrictEqual([['Bearer x', { accountId: undefined }]]);
  });

  it('calls `next` synchronously if the check is synchronous', async () => {
    const { auth } = authWith(passAda);
    const app = express().use((req, res) => {
      let isNextCalled = false;
      requireAuth(auth)(req, res, () => {
        isNextCalled = true;
      });
      res.send(isNextCalled);
    });
    expect(await (await get(app, '/')).text()).toBe('true');
  });

  it('calls `next` after an asynchronous check', async () => {
    const { auth } = authWith(async () => passAda());
    const app = express().get('/', requireAuth(auth), (req, res) => res.send(req.auth?.userId));
    expect(await (await get(app, '/')).text()).toBe('ada');
  });

  it('calls `next` only once, even if `next` throws', async () => {
    const { auth } = authWith(() => RecordedPromise.resolve(passAda()));
    const app = express().use(async (req, res) => {
      const nextErrors: unknown[] = [];
      requireAuth(auth)(req, res, (error) => {
        nextErrors.push(String(error));
        fail();
      });
      await Promise.allSettled(RecordedPromise.instances);
      res.json(nextErrors);
    });
    // One call, without an error.
    expect(await (await get(app, '/')).json()).toEqual(['undefined']);
  });

  it.each([
    [
      'an error of the function `account`',
      () => requireAuth(authWith(passAda).auth, { account: fail }),
    ],
    ['the error of a check that rejects', () => requireAuth(authWith(async () => fail()).auth)],
    [
      'the error of a response that cannot be written',
      () => requireAuth(authWith(async () => unwritable()).auth),
    ],
  ])("passes %s to the host's error handler", async (_, createHandler) => {
    const app = express().get('/', createHandler(), (_req, res) => res.send('passed'));
    app.use(((error, _req, res, _next) => {
      res.status(599).end(error.message);
    }) satisfies express.ErrorRequestHandler);
    const response = await get(app, '/');
    expect([response.status, await response.text()]).toEqual([599, 'fault']);
  });
});

describe('requireAuth for Express with invalid arguments', () => {
  const { auth } = authWith(passAda);

  it.each<[what: string, code: string, args: readonly unknown[]]>([
    ['an unknown option', 'option_unknown', [auth, { scopes: 'admin' }]],
    ['a text in place of a requirement', 'requirement_invalid', [auth, 'admin']],
    ['an undefined scope', 'requirement_invalid', [auth, { scope: undefined }]],
    ['a number as `account`', 'requirement_invalid', [auth, { account: 99 }]],
    ['no arguments', 'auth_invalid', []],
    ['`auth.bearer` in place of `auth`', 'auth_invalid', [auth.bearer, { scope: 'user' }]],
  ])('given %s, throws %s when it is mounted', (_, code, args) => {
    expect(() => Reflect.apply(requireAuth, undefined, args)).toThrow(`[${code}]`);
  });
});

/** A rejection with a response that throws when its status is read. */
function unwritable(): BearerOutcome {
  const response = {
    headers: {},
    body: '',
    get status() {
      return fail();
    },
  };
  return { outcome: 'rejected', response };
}

function fail(): never {
  throw new Error('fault');
}

describe('authOf for Express', () => {
  it('returns the AuthInfo of a request after requireAuth', async () => {
    const app = express();
    app.get('/me', requireAuth(authWith(passAda).auth), (req, res) => {
      res.json({ user: authOf(req).userId });
    });
    expect(await (await get(app, '/me')).json()).toEqual({ user: 'ada' });
  });

  it.each([undefined, null, 'ada', {}, { header: {}, payload: { sub: 'ada' }, token: 'x' }])(
    'throws if req.auth is %j, which requireAuth has not set',
    (auth) => {
      expect(() => authOf({ auth })).toThrow(/^req\.auth is not set: guard this route/);
    },
  );

  it.each([undefined, null])('throws if the request is %j', (req) => {
    expect(() => Reflect.apply(authOf, undefined, [req])).toThrow(/^req\.auth is not set/);
  });
});
