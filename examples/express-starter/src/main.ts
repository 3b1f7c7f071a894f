import { type DemoApp, handleDemoEvent, pageFiles, serve } from '@latchhook/example-demo';
import { latchhook, requireAuth } from '@latchhook/express';
import express, { type ErrorRequestHandler, type Express } from 'express';

/**
 * An app as a team may already have it, with Latchhook's routes mounted. `createAuth`, the storage and the shutdown are
 * in `serve`, which belongs to the demo: do not copy its users, keys and rules for deliveries.
 */
function createApp({ auth }: DemoApp): Express {
  const app = express();
  app.disable('x-powered-by');
  // Behind a proxy, add `app.set('trust proxy', 1)`. Otherwise all clients seem to have the address of the proxy, and
  // their failed logins are counted together.
  app.use(latchhook(auth));

  for (const { path, headers, body } of pageFiles()) {
    app.get(path, (_req, res) => {
      res.set(headers).send(body);
    });
  }

  app.get('/me', requireAuth(auth, { scope: 'user' }), (req, res) => {
    res.json({ user: req.auth?.userId, accounts: req.auth?.accounts });
  });

  app.get(
    '/accounts/:accountId/contacts',
    requireAuth(auth, { scope: 'user', account: (req) => Number(req.params['accountId']) }),
    (req, res) => {
      res.json({ account: Number(req.params['accountId']), contacts: ['Charles Babbage'] });
    },
  );

  app.get('/admin/report', requireAuth(auth, { scope: 'admin' }), (req, res) => {
    res.json({ report: 'all is well', for: req.auth?.userId });
  });

  app.post('/demo/events', async (req, res) => {
    const { status, body, headers } = await handleDemoEvent(auth, req);
    res.status(status).set(headers).json(body);
  });

  // Without an error handler, Express prints a stack trace for every URL that cannot be decoded.
  app.use(((error, _req, res, next) => {
    if (!(error instanceof URIError) || res.headersSent) return next(error);
    res.status(400).json({ error: 'invalid_request', error_description: 'the path is malformed' });
  }) satisfies ErrorRequestHandler);

  return app;
}

await serve(createApp);
