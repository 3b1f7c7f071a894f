import { startServer } from '../harness/bench-server.mjs';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { passwordRequest, send } from '../harness/grants.mjs';
import { number, table } from '../harness/markdown.mjs';
import { startRedis } from '../harness/redis-server.mjs';
import { quantile } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

const PAIRS = 200;

/** An unknown user must take as long as a wrong password, or the time of the answer tells who has an account. */
export const unknownUser = { connections: [1], run };

async function run() {
  const redis = await startRedis();
  const environment = { BENCH_PASSWORD_CHECK: 'argon2', REDIS_URL: redis.url };
  const measured = [];
  try {
    for (const definition of availableServers(['latchhook express', 'latchhook koa'])) {
      const server = await startServer(definition, environment);
      measured.push({ name: server.name, ...(await interleaved(server)) });
      await server.stop();
    }
  } finally {
    await redis.stop();
  }
  return [
    `${PAIRS} of each, one at a time, interleaved.`,
    timeTable(measured),
    goalList(measured.flatMap(goalRows)),
  ].join('\n\n');
}

async function interleaved(server) {
  const unknown = (pair) => passwordRequest({ username: `nobody-${pair}@example.com` });
  const wrong = () => passwordRequest({ password: 'not the password' });
  const unknownMs = [];
  const wrongMs = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const turns = [
      async () => unknownMs.push(await timeRejection(server, unknown(pair))),
      async () => wrongMs.push(await timeRejection(server, wrong())),
    ];
    // The order alternates, so that the garbage of one kind is not always collected during the other.
    for (const turn of pair % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const ascending = (a, b) => a - b;
  return { unknownMs: unknownMs.sort(ascending), wrongMs: wrongMs.sort(ascending) };
}

async function timeRejection(server, request) {
  const startedMs = performance.now();
  await send(server, request, 400);
  return performance.now() - startedMs;
}

function timeTable(measured) {
  const cells = (sorted) => [sorted[0], quantile(sorted, 0.1), quantile(sorted, 0.5)].map(number);
  return table(
    ['server', 'unknown user: floor ms', 'p10', 'p50', 'wrong password: floor ms', 'p10', 'p50'],
    measured.map(({ name, unknownMs, wrongMs }) => [name, ...cells(unknownMs), ...cells(wrongMs)]),
  );
}

function goalRows({ name, unknownMs, wrongMs }) {
  const difference = Math.abs(unknownMs[0] / wrongMs[0] - 1);
  const advantage = Math.abs(chanceOfTelling(unknownMs, wrongMs) - 0.5);
  return [
    goalLine(`${name}: distance of the floors, of a hash`, once(difference), { atMost: 0.05 }),
    goalLine(`${name}: odds of telling them apart, above chance`, once(advantage), {
      atMost: 0.08,
    }),
  ];
}

const once = (value) => ({ median: value, min: value, max: value });

/** The area under the ROC curve: the probability that a sample of `a` is slower than one of `b`. */
function chanceOfTelling(a, b) {
  let slower = 0;
  for (const x of a) for (const y of b) slower += x > y ? 1 : x === y ? 0.5 : 0;
  return slower / (a.length * b.length);
}
