import Router from '@koa/router';
import { type DemoApp, handleDemoEvent, pageFiles, serve } from '@latchhook/example-demo';
import { latchhook, requireAuth } from '@latchhook/koa';
import Koa from 'koa';

/**
 * An app as a team may already have it, with Latchhook's routes mounted. `createAuth`, the storage and the shutdown are
 * in `serve`, which belongs to the demo: do not copy its users, keys and rules for deliveries.
 */
function createApp({ auth }: DemoApp): ReturnType<Koa['callback']> {
  // Behind a proxy, pass `{ proxy: true, maxIpsCount: 1 }`. Otherwise all clients seem to have the address of the
  // proxy, and their failed logins are counted together.
  const app = new Koa();
  // Without a listener, Koa prints a stack trace for every connection that a client has broken off.
  app.on('error', (error: Error & { readonly code?: string }) => {
    if (!/^(ECONNRESET|EPIPE|HPE_.*)$/.test(error.code ?? '')) app.onerror(error);
  });
  app.use(latchhook(auth));

  const router = new Router();

  for (const { path, headers, body } of pageFiles()) {
    router.get(path, (ctx) => {
      ctx.set(headers);
      ctx.body = body;
    });
  }

  router.get('/me', requireAuth(auth, { scope: 'user' }), (ctx) => {
    ctx.body = { user: ctx.state.auth.userId, accounts: ctx.state.auth.accounts };
  });

  router.get(
    '/accounts/:accountId/contacts',
    requireAuth(auth, {
      scope: 'user',
      account: (ctx) => Number(ctx.params['accountId']),
    }),
    (ctx) => {
      ctx.body = { account: Number(ctx.params['accountId']), contacts: ['Charles Babbage'] };
    },
  );

  router.get('/admin/report', requireAuth(auth, { scope: 'admin' }), (ctx) => {
    ctx.body = { report: 'all is well', for: ctx.state.auth.userId };
  });

  router.post('/demo/events', async (ctx) => {
    const { status, body, headers } = await handleDemoEvent(auth, ctx.req);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
  });

  app.use(router.routes());
  return app.callback();
}

await serve(createApp);
