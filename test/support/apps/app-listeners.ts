import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import Router from '@koa/router';
import type { Auth, BuiltInEvents, HostClaims, LoginRequest, Scope } from '@latchhook/core';
import type { BearerRequirement } from '@latchhook/core/adapter';
import { latchhook, requireAuth } from '@latchhook/express';
import { latchhook as koaLatchhook, requireAuth as koaRequireAuth } from '@latchhook/koa';
import express from 'express';
import Koa from 'koa';
import mount from 'koa-mount';

/** Routes of the host with the requirement of each. They respond with the content of the token. */
const GUARDED: Readonly<Record<string, BearerRequirement>> = {
  '/me': { scope: 'user' },
  '/admin': { scope: 'admin' },
  '/internal': { scope: 'internal' },
  '/checked': { scope: 'user', checkSession: true },
};

/** The path of the host's route that requires this scope. */
export function scopePath(scope: string): string {
  return `/scopes/${scope.replace(':', '-')}`;
}

/** Casts, because all test apps have the same type. */
export function withTextAccounts(auth: Auth): Auth<BuiltInEvents, HostClaims, Scope, string> {
  return auth as unknown as Auth<BuiltInEvents, HostClaims, Scope, string>;
}

export interface AppListenerOptions {
  readonly mountPath: string;
  /** Whether the app takes the client's address from one trusted proxy. */
  readonly behindProxy: boolean;
}

/**
 * Express 5 without a body parser: Latchhook's routes, guarded routes of the host, logins by the host, and an echo.
 */
export function createExpressApp(auth: Auth, options: AppListenerOptions): RequestListener {
  const { mountPath, behindProxy } = options;
  const app = express();
  app.set('trust proxy', behindProxy ? 1 : false);
  app.disable('x-powered-by');
  app.use(mountPath === '' ? '/' : mountPath, latchhook(auth));
  for (const [path, requirement] of Object.entries(GUARDED)) {
    app.all(path, requireAuth(auth, requirement), (req, res) => void res.json(req.auth));
  }
  for (const scope of auth.bearer.scopes) {
    app.get(scopePath(scope), requireAuth(auth, { scope }), (_req, res) => void res.json({}));
  }
  app.get(
    '/accounts/:accountId',
    requireAuth(auth, { account: (req) => Number(req.params['accountId']) }),
    (req, res) => void res.json(req.auth),
  );
  app.get(
    '/tenants/:accountId',
    requireAuth(withTextAccounts(auth), { account: (req) => String(req.params['accountId']) }),
    (req, res) => void res.json(req.auth),
  );
  app.post('/logins/:userId', async (req, res) => {
    const client = { clientAddress: req.ip ?? null, userAgent: req.get('user-agent') ?? null };
    const loginRequest: LoginRequest = JSON.parse(await text(req));
    const login = await auth.login(req.params.userId, loginRequest, client);
    const { status, headers, cookies = [], body } = login.response;
    res
      .status(status)
      .set(headers)
      .append('set-cookie', [...cookies])
      .end(body);
  });
  app.post('/echo', (req, res, next) => {
    text(req).then((body) => res.type('text').send(body), next);
  });
  return app;
}

/** The same in Koa 3. */
export function createKoaApp(auth: Auth, options: AppListenerOptions): RequestListener {
  const { mountPath, behindProxy } = options;
  const app = new Koa({ proxy: behindProxy, maxIpsCount: 1 });
  app.use(mountPath === '' ? koaLatchhook(auth) : mount(mountPath, koaLatchhook(auth)));
  const router = new Router();
  for (const [path, requirement] of Object.entries(GUARDED)) {
    router.all(path, koaRequireAuth(auth, requirement), (ctx) => {
      ctx.body = ctx.state.auth;
    });
  }
  for (const scope of auth.bearer.scopes) {
    router.get(scopePath(scope), koaRequireAuth(auth, { scope }), (ctx) => {
      ctx.body = {};
    });
  }
  router.get(
    '/accounts/:accountId',
    koaRequireAuth(auth, { account: (ctx) => Number(ctx.params['accountId']) }),
    (ctx) => {
      ctx.body = ctx.state.auth;
    },
  );
  router.get(
    '/tenants/:accountId',
    koaRequireAuth(withTextAccounts(auth), { account: (ctx) => ctx.params['accountId'] }),
    (ctx) => {
      ctx.body = ctx.state.auth;
    },
  );
  router.post('/logins/:userId', async (ctx) => {
    const client = { clientAddress: ctx.ip, userAgent: ctx.get('user-agent') || null };
    const loginRequest: LoginRequest = JSON.parse(await text(ctx.req));
    const login = await auth.login(ctx.params['userId'] ?? '', loginRequest, client);
    const { status, headers, cookies = [], body } = login.response;
    ctx.status = status;
    ctx.set({ ...headers });
    ctx.append('set-cookie', [...cookies]);
    ctx.body = body;
  });
  router.post('/echo', async (ctx) => {
    ctx.body = await text(ctx.req);
  });
  app.use(router.routes());
  return app.callback();
}
