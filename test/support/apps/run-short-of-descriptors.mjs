// Uses up all file descriptors of this process, sends a request for each lazily loaded dependency, frees the
// descriptors and sends the requests again. Prints the statuses. First argument: whether `createAuth` is called
// `before` the shortage or `during`.
import { createHmac } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { createAuth, toFetchHandler } from '@latchhook/core';

const PASSWORD = 'correct horse battery staple';
/** argon2id of the password above. */
const HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$f0ZwM7P8TSlZqx70O9jerA$G7L0q0arZo9cn9zuuJ6A0tffFA09GXEUYqY+j21E1RM';
const SECRET = Buffer.from('12345678901234567890');
/** The secret above in base32. */
const BASE32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

const ada = {
  id: 'ada',
  username: 'ada@example.com',
  passwordHash: HASH,
  accounts: [1],
  scopes: ['user', 'auth'],
};
const grace = { ...ada, id: 'grace', username: 'grace@example.com', mfa: { totpSecret: BASE32 } };
const users = {
  findByUsername: async (name) => [ada, grace].find(({ username }) => username === name) ?? null,
  findById: async (userId) => [ada, grace].find(({ id }) => id === userId) ?? null,
};

function newApp() {
  const issuer = 'http://localhost';
  const auth = createAuth({ issuer, users, environment: 'development', mfa: { enrolment: true } });
  return { auth, handle: toFetchHandler(auth) };
}

function holdAllDescriptors() {
  const held = [];
  try {
    for (;;) held.push(openSync(devNull));
  } catch {
    return () => held.forEach(closeSync);
  }
}

/** The current TOTP code (RFC 6238). */
function codeNow() {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', SECRET).update(step).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Waits for enough turns of the event loop to load dependencies in the background. */
async function turns() {
  for (let nth = 0; nth < 10; nth += 1) await turn();
}

async function statuses({ auth, handle }) {
  const send = async (path, body, token) => {
    const request = new Request(`http://localhost${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: body && JSON.stringify(body),
    });
    return (await handle(request)).status;
  };
  const byHost = (userId) => auth.login(userId, { amr: ['swk'], scopes: ['user', 'auth'] });
  const login = await byHost('ada');
  const { access_token: token } = JSON.parse(login.response.body);
  const { challenge } = (await byHost('grace')).pending;
  return {
    login: await send('/token', { username: ada.username, password: PASSWORD }),
    accessToken: await send('/users/self/sessions', undefined, token),
    challenge: await send('/token/challenge', { challenge, code: codeNow() }),
    enrolment: await send('/users/self/mfa/totp', {}, token),
    openapi: await send('/openapi.json'),
  };
}

const [when] = process.argv.slice(2);
let app = when === 'before' ? newApp() : undefined;
if (when === 'before') await turns();
const release = holdAllDescriptors();
app ??= newApp();
await turns();
const short = await statuses(app);
release();
const after = await statuses(app);
process.stdout.write(JSON.stringify({ short, after }));
