import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Auth, type AuthInfo, type MaybePromise, SCOPES } from '@latchhook/core';
import type { BearerOutcome, BearerRequirement } from '@latchhook/core/adapter';
import Koa from 'koa';
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

async function get(app: Koa, path: string): Promise<Response> {
  const server = app.listen(0, '127.0.0.1');
  closeAll.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer x' } });
}

describe('requireAuth for Koa', () => {
  it('passes the requirement of the route and the account of the request to the check', async () => {
    const { auth, calls } = authWith(passAda);
    const account = (ctx: Koa.Context): number => Number(ctx.path.slice('/accounts/'.length));
    const app = new Koa()
      .use(requireAuth(auth, { scope: 'admin', checkSession: true, account }))
      .use((ctx) => {
        ctx.body = ctx.state.auth.userId;
      });
    expect(await (await get(app, '/accounts/2')).text()).toBe('ada');
    expect(calls).toEqual([['Bearer x', { scope: 'admin', checkSession: true, accountId: 2 }]]);
  });

  it('passes `accountId: undefined` to the check if `account` returns undefined', async () => {
    const { auth, calls } = authWith(passAda);
    await get(new Koa().use(requireAuth(auth, { account: () => undefined })), '/');
    expect(calls).toStrictEqual([['Bearer x', { accountId: undefined }]]);
  });

  it('calls `next` synchronously if the check is synchronous', async () => {
    const { auth } = authWith(passAda);
    const app = new Koa().use(async (ctx) => {
      let isNextCalled = false;
      const handled = requireAuth(auth)(ctx, async () => {
        isNextCalled = true;
      });
      ctx.body = String(isNextCalled);
      await handled;
    });
    expect(await (await get(app, '/')).text()).toBe('true');
  });

  it('calls `next` after an asynchronous check', async () => {
    const { auth } = authWith(async () => passAda());
    const app = new Koa().use(requireAuth(auth)).use((ctx) => {
      ctx.body = ctx.state.auth.userId;
    });
    expect(await (await get(app, '/')).text()).toBe('ada');
  });

  it.each([
    [
      'an error of the function `account`',
      () => requireAuth(authWith(passAda).auth, { account: fail }),
    ],
    ['the error of a check that rejects', () => requireAuth(authWith(async () => fail()).auth)],
  ])('throws %s to the outer middleware', async (_, createMiddleware) => {
    const app = new Koa().use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.status = 599;
        ctx.body = String(error);
      }
    });
    const response = await get(app.use(createMiddleware()), '/');
    expect([response.status, await response.text()]).toEqual([599, 'Error: fault']);
  });
});

describe('requireAuth for Koa with invalid arguments', () => {
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

function fail(): never {
  throw new Error('fault');
}

describe('authOf for Koa', () => {
  it('returns the AuthInfo of a request after requireAuth', async () => {
    const app = new Koa();
    app.use(requireAuth(authWith(passAda).auth));
    app.use((ctx: Koa.Context) => {
      ctx.body = { user: authOf(ctx).userId };
    });
    expect(await (await get(app, '/me')).json()).toEqual({ user: 'ada' });
  });

  it.each([undefined, { userId: 'ada' }])('throws if ctx.state.auth is %j', (auth) => {
    expect(() => authOf({ state: { auth } })).toThrow(/^ctx\.state\.auth is not set: guard this/);
  });

  it.each([undefined, null, {}])('throws if the context is %j', (ctx) => {
    expect(() => Reflect.apply(authOf, undefined, [ctx])).toThrow(/^ctx\.state\.auth is not set/);
  });
});
