import { startServer } from '../harness/bench-server.mjs';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { helloRequest, passwordRequest, send } from '../harness/grants.mjs';
import { number, spread, table } from '../harness/markdown.mjs';
import { startRedis } from '../harness/redis-server.mjs';
import { ratiosByRound, summarize } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

/**
 * From the start of the process to the first answered password grant. The base is a host without us, with its framework
 * and its Redis client loaded, to its first answer of any kind.
 */
export const coldStart = { connections: [1], run };

const NAMES = [
  'host express',
  'floor express',
  'latchhook express',
  'node-oauth express',
  'host koa',
  'floor koa',
  'latchhook koa',
];

async function run({ rounds }) {
  const redis = await startRedis();
  const environment = { BENCH_PASSWORD_CHECK: 'plain', REDIS_URL: redis.url };
  const measured = availableServers(NAMES).map((definition) => ({ definition, starts: [] }));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { definition, starts } of round % 2 === 0 ? measured : measured.toReversed()) {
        starts.push(await start(definition, environment));
      }
    }
  } finally {
    await redis.stop();
  }
  return [`${rounds} alternated rounds.`, startTable(measured), goals(measured)].join('\n\n');
}

async function start(definition, environment) {
  const startedMs = performance.now();
  const server = await startServer(definition, environment);
  try {
    const host = definition.name.startsWith('host ');
    await send(server, host ? helloRequest('none') : passwordRequest());
    return {
      readyMs: server.readyAfterMs,
      firstAnswerMs: performance.now() - startedMs,
      residentMiB: server.residentMiB(),
    };
  } finally {
    await server.stop();
  }
}

const samples = ({ starts }, metric) => starts.map((sample) => sample[metric]);

function startTable(measured) {
  return table(
    ['server', 'ready ms', 'first answer ms', 'RSS MiB after it'],
    measured.map((entry) => [
      entry.definition.name,
      spread(summarize(samples(entry, 'readyMs'))),
      spread(summarize(samples(entry, 'firstAnswerMs'))),
      number(summarize(samples(entry, 'residentMiB')).median),
    ]),
  );
}

function goals(measured) {
  const firstAnswers = (name) =>
    samples(
      measured.find((entry) => entry.definition.name === name),
      'firstAnswerMs',
    );
  const ratio = (framework) =>
    ratiosByRound(firstAnswers(`latchhook ${framework}`), firstAnswers(`host ${framework}`));
  return goalList([
    goalLine('latchhook express / host express', ratio('express'), { atMost: 1.15 }),
    goalLine('latchhook koa / host koa', ratio('koa')),
  ]);
}
