import { generate } from 'otplib';
import { startServer } from '../harness/bench-server.mjs';
import { helloRequest, passwordRequest, refreshRequest, send } from '../harness/grants.mjs';
import { identity } from '../harness/identity.mjs';
import { table } from '../harness/markdown.mjs';
import { startRedis } from '../harness/redis-server.mjs';
import { verdict, verdictTable } from '../harness/verdict.mjs';
import { availableServers } from '../servers.mjs';

/** What a request asks of Redis, as MONITOR sees it: exact, whatever the noise. Throttling is on. */
export const roundTrips = { connections: [1], run };

const GOALS = { bearer: 0, refresh: 1, login: 2, challenge: 3 };

async function run() {
  const redis = await startRedis();
  const environment = {
    BENCH_PASSWORD_CHECK: 'plain',
    BENCH_THROTTLE: 'on',
    REDIS_URL: redis.url,
  };
  const measured = [];
  try {
    for (const definition of availableServers(['latchhook express', 'latchhook koa'])) {
      const server = await startServer(definition, environment);
      measured.push({ name: server.name, sent: await traceOperations(server, redis) });
      await server.stop();
    }
  } finally {
    await redis.stop();
  }
  const rows = measured.flatMap(({ name, sent }) =>
    Object.entries(sent).map(([operation, commands]) => ({ name, operation, commands })),
  );
  return [
    table(
      ['server', 'operation', 'commands sent'],
      rows.map((row) => [row.name, row.operation, row.commands.join(', ') || 'none']),
    ),
    verdictTable(
      rows.map(({ name, operation, commands: { length: n } }) =>
        verdict(
          `${name}: round trips of a ${operation}`,
          { median: n, min: n, max: n },
          { atMost: GOALS[operation] },
        ),
      ),
    ),
  ].join('\n\n');
}

async function traceOperations(server, redis) {
  const traced = async (work) => {
    let answer;
    const commands = await redis.trace(async () => {
      answer = await work();
    });
    return { answer, commands };
  };
  const login = () => send(server, passwordRequest(server));
  const refresh = (token) =>
    send(server, { ...refreshRequest, body: refreshRequest.body.replace('{token}', token) });

  // Once unmeasured: the first call of a script sends it along.
  await refresh((await login()).refresh_token);
  await completeChallenge(server, await beginChallenge(server), -30);

  const loggedIn = await traced(login);
  const refreshed = await traced(() => refresh(loggedIn.answer.refresh_token));
  const hello = helloRequest(refreshed.answer.access_token);
  const checked = await traced(() => send(server, hello));
  const begun = await traced(() => beginChallenge(server));
  const completed = await traced(() => completeChallenge(server, begun.answer, 0));
  return {
    bearer: checked.commands,
    refresh: refreshed.commands,
    login: loggedIn.commands,
    challenge: completed.commands,
  };
}

const beginChallenge = (server) =>
  send(server, passwordRequest(server, { username: identity.BENCH_MFA_USERNAME }), 401);

// A step of the authenticator's clock is taken once: the unmeasured login uses the step before this one.
async function completeChallenge(server, { challenge }, offsetSeconds) {
  const epoch = Math.floor(Date.now() / 1000) + offsetSeconds;
  const code = await generate({ secret: identity.BENCH_TOTP_SECRET, epoch });
  const body = JSON.stringify({ challenge, code });
  return send(server, { method: 'POST', path: '/token/challenge', type: 'application/json', body });
}
