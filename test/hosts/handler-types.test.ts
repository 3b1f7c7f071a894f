import Router, { type RouterContext } from '@koa/router';
import type { Auth, AuthInfo } from '@latchhook/core';
import * as forExpress from '@latchhook/express';
import * as forKoa from '@latchhook/koa';
import express, { type Request } from 'express';
import Koa from 'koa';
import mount from 'koa-mount';
import { beforeAll, describe, expectTypeOf, it } from 'vitest';
import { makeFixture } from './fixture.ts';

let auth: Auth;
beforeAll(async () => {
  ({ auth } = await makeFixture());
});

// The compiler checks these: a mistake fails `tsc -p test`.
describe('the types of the handlers for Express', () => {
  const { latchhook, requireAuth } = forExpress;

  it('can be mounted in an app and in a router', () => {
    const app = express().use(latchhook(auth)).use('/auth', latchhook(auth));
    app.use(express.Router().use(requireAuth(auth)));
  });

  it('keep the route parameters for later handlers', () => {
    express().get('/contacts/:contactId', requireAuth(auth, { scope: 'user' }), (req) => {
      expectTypeOf(req.params).toEqualTypeOf<{ contactId: string }>();
      expectTypeOf(req.auth).toEqualTypeOf<AuthInfo | undefined>();
    });
  });

  it('accept an `account` that reads route parameters', () => {
    express().get(
      '/accounts/:accountId',
      requireAuth(auth, { account: (req) => Number(req.params['accountId']) }),
      (req) => expectTypeOf(req.params).toEqualTypeOf<{ accountId: string }>(),
    );
  });

  it('accept an `account` function on the Request of Express', () => {
    const account = (req: Request<{ accountId: string }>): number => Number(req.params.accountId);
    express().get('/accounts/:accountId', requireAuth(auth, { account }), (req) => {
      expectTypeOf(req.params).toEqualTypeOf<{ accountId: string }>();
    });
  });
});

describe('the types of the handlers for Koa', () => {
  const { latchhook, requireAuth } = forKoa;

  it('can be mounted in an app, in a router and by koa-mount', () => {
    const router = new Router().use(latchhook(auth));
    new Koa()
      .use(latchhook(auth))
      .use(mount('/auth', latchhook(auth)))
      .use(router.routes());
  });

  it('type ctx.state.auth for later handlers', () => {
    new Koa().use(requireAuth(auth)).use((ctx) => {
      expectTypeOf(ctx.state.auth).toEqualTypeOf<AuthInfo>();
    });
    new Router().get('/contacts/:contactId', requireAuth(auth, { scope: 'user' }), (ctx) => {
      expectTypeOf(ctx.state.auth).toEqualTypeOf<AuthInfo>();
      expectTypeOf(ctx.params).toEqualTypeOf<Record<string, string>>();
    });
  });

  it('accept an `account` that reads route parameters', () => {
    const account = (ctx: RouterContext): number => Number(ctx.params['accountId']);
    new Router()
      .get(
        '/a/:accountId',
        requireAuth(auth, { account: (ctx) => Number(ctx.params['accountId']) }),
      )
      .get('/b/:accountId', requireAuth(auth, { account }));
  });
});
