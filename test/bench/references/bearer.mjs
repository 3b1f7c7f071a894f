// node bearer.mjs express|koa none|cached|jose: GET /hello behind that bearer check, POST /token for tokens.
import { createHash } from 'node:crypto';
import { serve } from './contract.mjs';
import { AUDIENCE, ISSUER, issueToken, publicKey, verifyToken } from './es256.mjs';

const [framework, check] = process.argv.slice(2);

/** A cache of verified tokens as a host might have it: by SHA-256, with the expiry checked on every hit. */
function cached() {
  const seen = new Map();
  return (token) => {
    const key = createHash('sha256').update(token).digest('latin1');
    let claims = seen.get(key);
    if (claims === undefined) {
      claims = verifyToken(token);
      seen.set(key, claims);
    }
    if (claims.exp <= Date.now() / 1000) throw new Error('expired');
    return claims;
  };
}

async function byJose() {
  const { jwtVerify } = await import('jose');
  const options = { issuer: ISSUER, audience: AUDIENCE, algorithms: ['ES256'] };
  return async (token) => (await jwtVerify(token, publicKey, options)).payload;
}

const verifier = await { none: () => null, cached, jose: byJose }[check]();
const tokenOf = (authorization) =>
  authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';

async function expressListener() {
  const { default: express } = await import('express');
  const app = express();
  app.disable('x-powered-by');
  app.post('/token', (_req, res) => res.json({ access_token: issueToken() }));
  if (verifier !== null) app.use(check === 'jose' ? awaitingCheck : immediateCheck);
  app.get('/hello', (_req, res) => res.json({ hello: 'world' }));
  return app;
}

function immediateCheck(req, res, next) {
  try {
    req.auth = verifier(tokenOf(req.headers.authorization));
  } catch {
    return res.status(401).end();
  }
  next();
}

async function awaitingCheck(req, res, next) {
  try {
    req.auth = await verifier(tokenOf(req.headers.authorization));
  } catch {
    return res.status(401).end();
  }
  next();
}

async function koaListener() {
  const { default: Koa } = await import('koa');
  const app = new Koa();
  app.use((ctx, next) => {
    if (ctx.path !== '/token') return next();
    ctx.body = { access_token: issueToken() };
  });
  if (verifier !== null) app.use(koaCheck);
  app.use((ctx) => {
    if (ctx.path === '/hello') ctx.body = { hello: 'world' };
  });
  return app.callback();
}

async function koaCheck(ctx, next) {
  try {
    ctx.state.auth = await verifier(tokenOf(ctx.headers.authorization));
  } catch {
    ctx.status = 401;
    return;
  }
  await next();
}

serve(await { express: expressListener, koa: koaListener }[framework]());
