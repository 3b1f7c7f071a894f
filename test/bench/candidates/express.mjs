// node express.mjs [memory|redis|postgres|postgres-async|mysql]: Redis by default.
import { latchhook, requireAuth } from '@latchhook/express';
import express from 'express';
import { benchAuth } from './bench-auth.mjs';
import { printReady } from './ready.mjs';

const auth = await benchAuth(process.argv[2]);
const app = express();
app.disable('x-powered-by');
app.use(latchhook(auth));
app.get('/hello', requireAuth(auth), (_req, res) => res.json({ hello: 'world' }));
const server = app.listen(0, '127.0.0.1', () => printReady(server.address()));
process.on('SIGTERM', () => process.exit(0));
