import { latchhook, requireAuth } from '@latchhook/koa';
import Koa from 'koa';
import { benchAuth } from './bench-auth.mjs';
import { printReady } from './ready.mjs';

const auth = await benchAuth();
const app = new Koa();
const check = requireAuth(auth);
app.use(latchhook(auth));
app.use((ctx, next) => {
  if (ctx.path !== '/hello') return next();
  return check(ctx, () => {
    ctx.body = { hello: 'world' };
  });
});
const server = app.listen(0, '127.0.0.1', () => printReady(server.address()));
process.on('SIGTERM', () => process.exit(0));
