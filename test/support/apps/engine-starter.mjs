// A starter on the storage of delivery-parts.mjs, which describes its environment. Prints `listening on`, and ends
// cleanly on SIGTERM.
import { serve } from '@latchhook/example-demo';
import { latchhook, requireAuth } from '@latchhook/express';
import express from 'express';
import { endConnections, storage } from './delivery-parts.mjs';

function createApp({ auth }) {
  const app = express();
  app.use(latchhook(auth));
  app.get('/me', requireAuth(auth, { scope: 'user' }), (req, res) => {
    res.json({ user: req.auth.userId });
  });
  app.get('/admin/report', requireAuth(auth, { scope: 'admin' }), (req, res) => {
    res.json({ for: req.auth.userId });
  });
  return app;
}

const backend = { location: 'a test', storage, close: endConnections };
await serve(createApp, async () => ({ outcome: 'open', backend }));
