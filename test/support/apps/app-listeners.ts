import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import Router from '@koa/router';
import type { Auth, LoginRequest } from '@latchhook/core';
import type { BearerRequirement } from '@latchhook/core/adapter';
import { latchhook, requireAuth } from '@latchhook/express';
import { latchhook as koaLatchhook, requireAuth as koaRequireAuth } from '@latchhook/koa';
import express from 'express';
import Koa from 'koa';
import mount from 'koa-mount';

/** Routes of the host, and what each requires of a token. They answer with what the token says. */
const GUARDED: Readonly<Record<string, BearerRequirement>> = {
  '/me': { scope: 'user' },
  '/admin': { scope: 'admin' },
  '/internal': { scope: 'internal' },
  '/checked': { scope: 'user', checkSession: true },
};

export interface AppListenerOptions {
  readonly mountPath: string;
  /** Whether it trusts one proxy in front about the client's address. */
  readonly behindProxy: boolean;
}

/**
 * Express 5 without a body parser, with our routes, guarded ones of its own, logins that it vouches for, and an echo.
 */
export function createExpressApp(auth: Auth, options: AppListenerOptions): RequestListener {
  const { mountPath, behindProxy } = options;
  const app = express();
  app.set('trust proxy', behindProxy ? 1 : false);
  app.disable('x-powered-by');
  app.use(mountPath === '' ? '/' : mountPath, latchhook(auth));
  for (const [path, requirement] of Object.entries(GUARDED)) {
    app.get(path, requireAuth(auth, requirement), (req, res) => void res.json(req.auth));
  }
  app.get(
    '/accounts/:accountId',
    requireAuth(auth, { account: (req) => Number(req.params['accountId']) }),
    (req, res) => void res.json(req.auth),
  );
  app.post('/logins/:userId', async (req, res) => {
    const client = { clientAddress: req.ip ?? null, userAgent: req.get('user-agent') ?? null };
    const asked: LoginRequest = JSON.parse(await text(req));
    const login = await auth.login(req.params.userId, asked, client);
    const { status, headers, body } = login.response;
    res.status(status).set(headers).end(body);
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
    router.get(path, koaRequireAuth(auth, requirement), (ctx) => {
      ctx.body = ctx.state.auth;
    });
  }
  router.get(
    '/accounts/:accountId',
    koaRequireAuth(auth, { account: (ctx) => Number(ctx.params['accountId']) }),
    (ctx) => {
      ctx.body = ctx.state.auth;
    },
  );
  router.post('/logins/:userId', async (ctx) => {
    const client = { clientAddress: ctx.ip, userAgent: ctx.get('user-agent') || null };
    const asked: LoginRequest = JSON.parse(await text(ctx.req));
    const login = await auth.login(ctx.params['userId'] ?? '', asked, client);
    const { status, headers, body } = login.response;
    ctx.status = status;
    ctx.set({ ...headers });
    ctx.body = body;
  });
  router.post('/echo', async (ctx) => {
    ctx.body = await text(ctx.req);
  });
  app.use(router.routes());
  return app.callback();
}
