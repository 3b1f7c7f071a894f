import { setTimeout as delay } from 'node:timers/promises';
import { drained, startServer } from '../harness/bench-server.mjs';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { helloRequest, passwordRequest, send } from '../harness/grants.mjs';
import { load } from '../harness/load.mjs';
import { number, spread, table } from '../harness/markdown.mjs';
import { startRedis } from '../harness/redis-server.mjs';
import { ratiosByRound, summarize } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

const CONNECTIONS = 8;
const LOGINS = 16;
const LOGINS_LEAD_MS = 500;

/** The bearer check while 16 logins hash in the same process: does it wait behind them in libuv's thread pool? */
export const bearerBesideLogins = { connections: [CONNECTIONS], run };

async function run({ rounds, seconds }) {
  const redis = await startRedis();
  const environment = { BENCH_PASSWORD_CHECK: 'argon2', REDIS_URL: redis.url };
  const measured = [];
  try {
    for (const definition of availableServers(['latchhook express', 'latchhook koa'])) {
      const server = await startServer(definition, environment);
      measured.push({ server, alone: [], beside: [] });
    }
    for (let round = 0; round < rounds; round++) {
      for (const entry of round % 2 === 0 ? measured : measured.toReversed()) {
        await takeTurn(entry, seconds);
      }
    }
  } finally {
    await Promise.all(measured.map(({ server }) => server.stop()));
    await redis.stop();
  }
  return [
    `${CONNECTIONS} connections, ${LOGINS} logins in flight, ${rounds} alternated rounds of ${seconds} s.`,
    rateTable(measured),
    goalList(measured.flatMap(goalRows)),
  ].join('\n\n');
}

async function takeTurn({ server, alone, beside }, seconds) {
  const { access_token: token } = await send(server, passwordRequest());
  const hello = () => load(server, helloRequest(token), { connections: CONNECTIONS, seconds });
  alone.push(await hello());

  // The logins start before the checks and outlast them.
  const logins = load(server, passwordRequest(), {
    connections: LOGINS,
    seconds: seconds + 1,
  });
  await delay(LOGINS_LEAD_MS);
  const checks = await hello();
  const { perSecond: loginsPerSecond, failed: failedLogins } = await logins;
  beside.push({ ...checks, loginsPerSecond, failed: checks.failed + failedLogins });
  await drained(server);
}

const samples = (turns, metric) => turns.map((turn) => turn[metric]);

function rateTable(measured) {
  const median = (turns, metric) => number(summarize(samples(turns, metric)).median);
  return table(
    [
      'server',
      'alone: requests/s',
      'p99 ms',
      'beside logins: requests/s',
      'p99 ms',
      'logins/s',
      'failed',
    ],
    measured.map(({ server, alone, beside }) => [
      server.name,
      spread(summarize(samples(alone, 'perSecond'))),
      median(alone, 'p99Ms'),
      spread(summarize(samples(beside, 'perSecond'))),
      median(beside, 'p99Ms'),
      median(beside, 'loginsPerSecond'),
      samples([...alone, ...beside], 'failed').reduce((sum, failed) => sum + failed, 0),
    ]),
  );
}

function goalRows({ server, alone, beside }) {
  const ratio = ratiosByRound(samples(beside, 'perSecond'), samples(alone, 'perSecond'));
  return [
    goalLine(`rate: ${server.name} beside logins / alone`, ratio, { atLeast: 0.25 }),
    goalLine(`p99 ms: ${server.name} beside logins`, summarize(samples(beside, 'p99Ms')), {
      atMost: 30,
    }),
  ];
}
