import type { Auth } from '@latchhook/core';
import { serve } from '@latchhook/example-demo';
import { latchhook, requireAuth } from '@latchhook/express';
import express, { type Express } from 'express';

/** The app that a team already has, with our routes mounted in it. */
function createApp(auth: Auth): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(latchhook(auth));

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

  return app;
}

serve(createApp);
