import { generate } from 'otplib';
import { startServer } from '../harness/bench-server.mjs';
import { met } from '../harness/goal-list.mjs';
import { helloRequest, passwordRequest, refreshRequest, send } from '../harness/grants.mjs';
import { identity } from '../harness/identity.mjs';
import { table } from '../harness/markdown.mjs';
import { startRelay } from '../harness/redis-relay.mjs';
import { startRedis } from '../harness/redis-server.mjs';
import { availableServers } from '../servers.mjs';

/** How often a request waits for Redis, and for which commands. Exact, because nothing is timed. Throttling is on. */
export const roundTrips = { connections: [1], run };

const GOALS = { bearer: 0, refresh: 1, login: 2, challenge: 3 };

async function run() {
  const rows = [];
  for (const definition of availableServers(['latchhook express', 'latchhook koa'])) {
    const traced = await traceServer(definition);
    for (const [operation, sent] of Object.entries(traced)) {
      rows.push({ name: definition.name, operation, ...sent });
    }
  }
  return table(
    ['server', 'operation', 'round trips', 'commands sent'],
    rows.map(({ name, operation, roundTrips: count, commands }) => [
      name,
      operation,
      `${count}: ${met(count <= GOALS[operation])}, goal ≤${GOALS[operation]}`,
      counted(commands),
    ]),
  );
}

// Each server has its own Redis: they have the same users, and each TOTP step is accepted only once.
async function traceServer(definition) {
  const redis = await startRedis();
  const relay = await startRelay(redis.url);
  try {
    const server = await startServer(definition, {
      BENCH_PASSWORD_CHECK: 'plain',
      BENCH_THROTTLE: 'on',
      REDIS_URL: relay.url,
    });
    try {
      return await traceOperations(server, redis, relay);
    } finally {
      await server.stop();
    }
  } finally {
    relay.stop();
    await redis.stop();
  }
}

async function traceOperations(server, redis, relay) {
  const traced = async (work) => {
    let answer;
    const before = relay.roundTrips;
    const commands = await redis.trace(async () => {
      answer = await work();
    });
    return { answer, sent: { commands, roundTrips: relay.roundTrips - before } };
  };
  const login = () => send(server, passwordRequest());
  const refresh = (token) =>
    send(server, { ...refreshRequest, body: refreshRequest.body.replace('{token}', token) });

  // Once unmeasured: the first call of a script sends its text.
  await refresh((await login()).refresh_token);
  await completeChallenge(server, await beginChallenge(server), -30);

  const loggedIn = await traced(login);
  const refreshed = await traced(() => refresh(loggedIn.answer.refresh_token));
  const hello = helloRequest(refreshed.answer.access_token);
  const checked = await traced(() => send(server, hello));
  const begun = await traced(() => beginChallenge(server));
  const completed = await traced(() => completeChallenge(server, begun.answer, 0));
  return {
    bearer: checked.sent,
    refresh: refreshed.sent,
    login: loggedIn.sent,
    challenge: completed.sent,
  };
}

const beginChallenge = (server) =>
  send(server, passwordRequest({ username: identity.BENCH_MFA_USERNAME }), 401);

// Each TOTP step is accepted only once: the unmeasured login uses the step before this one.
async function completeChallenge(server, { challenge }, offsetSeconds) {
  const epoch = Math.floor(Date.now() / 1000) + offsetSeconds;
  const code = await generate({ secret: identity.BENCH_TOTP_SECRET, epoch });
  const body = JSON.stringify({ challenge, code });
  return send(server, { method: 'POST', path: '/token/challenge', type: 'application/json', body });
}

/** Each command once, with how often it was sent: `get 6, evalsha`. */
function counted(commands) {
  const counts = new Map();
  for (const command of commands) counts.set(command, (counts.get(command) ?? 0) + 1);
  const texts = Array.from(counts, ([command, count]) =>
    count > 1 ? `${command} ${count}` : command,
  );
  return texts.join(', ') || 'none';
}
