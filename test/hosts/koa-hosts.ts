import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import { latchhook, requireAuth } from '@latchhook/koa';
import Koa, { type Middleware } from 'koa';
import { koaBody } from 'koa-body';
import koaBodyparser from 'koa-bodyparser';
import mount from 'koa-mount';
import Koa2 from 'koa2';
import { drain, echo, type Host, MOUNT_PATHS, type Parser } from './host.ts';

const FRAMEWORKS = [
  { framework: 'Koa 2', App: Koa2 },
  { framework: 'Koa 3', App: Koa },
] as const;

const FORM = 'application/x-www-form-urlencoded';

const PARSERS: readonly Parser<Middleware>[] = [
  { name: 'no parser', reach: 'unread', middleware: [] },
  { name: 'koa-bodyparser', reach: 'parsed', middleware: [koaBodyparser()] },
  { name: '@koa/bodyparser', reach: 'parsed', middleware: [bodyParser()] },
  { name: 'koa-body', reach: 'parsed', middleware: [koaBody({ text: false })] },
  {
    name: 'koa-bodyparser for XML alone',
    reach: 'unread',
    middleware: [koaBodyparser({ enableTypes: ['xml'] })],
  },
  {
    name: '@koa/bodyparser that leaves JSON and forms as text',
    reach: 'raw',
    middleware: [
      bodyParser({ enableTypes: ['text'], extendTypes: { text: ['application/json', FORM] } }),
    ],
  },
  {
    name: 'middleware that sets rawBody',
    reach: 'raw',
    middleware: [
      async (ctx, next) => {
        Object.assign(ctx.request, { rawBody: await drain(ctx.req) });
        await next();
      },
    ],
  },
  {
    name: 'middleware that consumes the body',
    reach: 'lost',
    middleware: [
      async (ctx, next) => {
        await drain(ctx.req);
        await next();
      },
    ],
  },
];

export const koaHosts: readonly Host[] = FRAMEWORKS.flatMap(({ framework, App }) =>
  PARSERS.flatMap(({ name, reach, middleware }) =>
    MOUNT_PATHS.map((mountPath) => ({
      framework,
      parser: name,
      reach,
      mountPath,
      listener(auth) {
        const app = new App();
        // Otherwise Koa prints every error of a parser.
        app.silent = true;
        for (const one of middleware) app.use(one);
        app.use(mountedAt(mountPath, latchhook(auth)));
        const router = new Router();
        router.get('/me', requireAuth(auth, { scope: 'user' }), (ctx) => {
          ctx.body = { user: ctx.state.auth.userId };
        });
        router.get('/internal', requireAuth(auth, { scope: ['user', 'internal'] }), (ctx) => {
          ctx.body = {};
        });
        router.get(
          '/accounts/:accountId',
          requireAuth(auth, { account: (ctx) => Number(ctx.params['accountId']) }),
          (ctx) => {
            ctx.body = { account: Number(ctx.params['accountId']) };
          },
        );
        router.get('/unnamed', requireAuth(auth, { account: () => undefined }), (ctx) => {
          ctx.body = {};
        });
        router.post('/echo', async (ctx) => {
          const { body, rawBody } = ctx.request;
          ctx.body = await echo(ctx.req, body ?? rawBody);
        });
        app.use(router.routes());
        return app.callback();
      },
    })),
  ),
);

/** Each part of the path is its own mount, as in apps that have grown. */
function mountedAt(mountPath: string, middleware: Middleware): Middleware {
  const parts = mountPath.split('/').slice(1);
  return parts.reduceRight((inner, part) => mount(`/${part}`, inner), middleware);
}
