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

/** A promise that records itself and all promises derived from it, so that a test sees all of them end. */
class Kept<Value> extends Promise<Value> {
  static readonly kept: Promise<unknown>[] = [];

  constructor(executor: ConstructorParameters<typeof Promise<Value>>[0]) {
    super(executor);
    Kept.kept.push(this);
  }
}

/** A check that answers by `answer`, and remembers what it was asked. */
function bearer(answer: () => MaybePromise<BearerOutcome>) {
  const asked: (readonly [string | undefined, BearerRequirement])[] = [];
  const auth: Pick<Auth, 'bearer'> = {
    bearer: {
      scopes: SCOPES,
      check(authorization, requirement) {
        asked.push([authorization, requirement]);
        return answer();
      },
    },
  };
  return { auth, asked };
}

const atOnce = (): BearerOutcome => ({ outcome: 'passed', auth: ADA });

async function get(app: Express, path: string): Promise<Response> {
  const server = app.listen(0, '127.0.0.1');
  closeAll.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer x' } });
}

describe('requireAuth for Express', () => {
  it('checks the requirement of the route, and the account of the request', async () => {
    const { auth, asked } = bearer(atOnce);
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
    expect(asked).toEqual([['Bearer x', { scope: 'admin', checkSession: true, accountId: 2 }]]);
  });

  it('requires an account even if `account` returns undefined', async () => {
    const { auth, asked } = bearer(atOnce);
    const app = express().use(requireAuth(auth, { account: () => undefined }));
    await get(app, '/');
    expect(asked).toStrictEqual([['Bearer x', { accountId: undefined }]]);
  });

  it('calls the next handler synchronously if the check is synchronous', async () => {
    const { auth } = bearer(atOnce);
    const app = express().use((req, res) => {
      let passed = false;
      requireAuth(auth)(req, res, () => {
        passed = true;
      });
      res.send(passed);
    });
    expect(await (await get(app, '/')).text()).toBe('true');
  });

  it('waits for an asynchronous check', async () => {
    const { auth } = bearer(async () => atOnce());
    const app = express().get('/', requireAuth(auth), (req, res) => res.send(req.auth?.userId));
    expect(await (await get(app, '/')).text()).toBe('ada');
  });

  it('calls the next handler once, even if that throws', async () => {
    const { auth } = bearer(() => Kept.resolve(atOnce()));
    const app = express().use(async (req, res) => {
      const passed: unknown[] = [];
      requireAuth(auth)(req, res, (error) => {
        passed.push(String(error));
        fail();
      });
      await Promise.allSettled(Kept.kept);
      res.json(passed);
    });
    expect(await (await get(app, '/')).json()).toEqual(['undefined']);
  });

  it.each([
    [
      'an error of the function `account`',
      () => requireAuth(bearer(atOnce).auth, { account: fail }),
    ],
    ['the error of a check that rejects', () => requireAuth(bearer(async () => fail()).auth)],
    [
      'the error of a response that cannot be written',
      () => requireAuth(bearer(async () => unwritable()).auth),
    ],
  ])("passes %s to the host's error handler", async (_, make) => {
    const app = express().get('/', make(), (_req, res) => res.send('passed'));
    app.use(((error, _req, res, _next) => {
      res.status(599).end(error.message);
    }) satisfies express.ErrorRequestHandler);
    const response = await get(app, '/');
    expect([response.status, await response.text()]).toEqual([599, 'fault']);
  });
});

describe('requireAuth with invalid arguments', () => {
  const { auth } = bearer(atOnce);

  it.each<[arguments: readonly unknown[], code: string]>([
    [[auth, { scopes: 'admin' }], 'option_unknown'],
    [[auth, 'admin'], 'requirement_invalid'],
    [[auth, { scope: undefined }], 'requirement_invalid'],
    [[auth, { account: 99 }], 'requirement_invalid'],
    [[], 'auth_invalid'],
    [[auth.bearer, { scope: 'user' }], 'auth_invalid'],
  ])('throws at creation: %o', (given, code) => {
    expect(() => Reflect.apply(requireAuth, undefined, given)).toThrow(`[${code}]`);
  });
});

/** A rejection that throws when its status is read. */
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
    app.get('/me', requireAuth(bearer(atOnce).auth), (req, res) => {
      res.json({ user: authOf(req).userId });
    });
    expect(await (await get(app, '/me')).json()).toEqual({ user: 'ada' });
  });

  it.each([undefined, null, 'ada', {}, { header: {}, payload: { sub: 'ada' }, token: 'x' }])(
    'throws if req.auth is not set by requireAuth: %j',
    (auth) => {
      expect(() => authOf({ auth })).toThrow(/^req\.auth is not set: guard this route/);
    },
  );

  it.each([undefined, null])('throws if the request is %j', (req) => {
    expect(() => Reflect.apply(authOf, undefined, [req])).toThrow(/^req\.auth is not set/);
  });
});
