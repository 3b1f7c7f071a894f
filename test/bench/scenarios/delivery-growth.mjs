import { startServer } from '../harness/bench-server.mjs';
import { arrivedAt, publishBy, untilArrived } from '../harness/delivery-processes.mjs';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { number, spread, table } from '../harness/markdown.mjs';
import { countsSince, startRedis } from '../harness/redis-server.mjs';
import { ratiosByRound, summarize } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

/** How many deliveries a turn first makes unmeasured, while the worker starts. */
const WARM_UP = 3_000;
const MEASURED = 6_000;
/** How many deliveries still wait at the end of a turn. */
const LEFT = [1_000, 50_000, 500_000];
const METRICS = { commands: 'Redis commands', storeUs: 'Redis CPU', workerUs: 'worker CPU' };

/** What a delivery costs Redis and the worker while few, or very many, others wait. */
export const deliveryGrowth = { connections: [50], run };

async function run({ rounds }) {
  const taken = new Map(LEFT.map((left) => [left, []]));
  for (let round = 0; round < rounds; round++) {
    for (const left of round % 2 === 0 ? LEFT : LEFT.toReversed())
      taken.get(left).push(await takeTurn(left));
  }
  const samples = (left, metric) => taken.get(left).map((turn) => turn[metric]);
  const rows = LEFT.map((left) => [
    number(left),
    ...Object.keys(METRICS).map((metric) => spread(summarize(samples(left, metric)))),
  ]);
  const [least, ...more] = LEFT;
  const goals = more.flatMap((left) =>
    Object.entries(METRICS).map(([metric, what]) =>
      goalLine(
        `${what}, ${number(left)} waiting / ${number(least)}`,
        ratiosByRound(samples(left, metric), samples(least, metric)),
        { atMost: 1.2 },
      ),
    ),
  );
  return [
    `${MEASURED} deliveries to 50 webhooks, all published before the worker starts, ${rounds} rounds.`,
    table(['waiting', ...Object.values(METRICS).map((what) => `${what} a delivery`)], rows),
    goalList(goals),
  ].join('\n\n');
}

async function takeTurn(left) {
  const [sinkDefinition, publisherDefinition, workerDefinition] = availableServers([
    'sink',
    'latchhook redis publisher',
    'latchhook redis worker',
  ]);
  const store = await startRedis();
  const sink = await startServer(sinkDefinition, {}, 'client');
  const environment = { SINK_URL: sink.url, REDIS_URL: store.url };
  const started = [sink];
  try {
    const publisher = await startServer(publisherDefinition, environment, 'client');
    started.push(publisher);
    await publishBy(publisher, { count: WARM_UP + MEASURED + left, webhooks: 50 });
    const worker = await startServer(workerDefinition, environment);
    started.push(worker);
    await untilArrived(sink, WARM_UP);
    const from = await look({ sink, store, worker });
    await untilArrived(sink, WARM_UP + MEASURED);
    const to = await look({ sink, store, worker });
    const each = (metric) => (to[metric] - from[metric]) / (to.arrived - from.arrived);
    const calls = countsSince(from.counts, to.counts).reduce((sum, [, count]) => sum + count, 0);
    return {
      commands: calls / (to.arrived - from.arrived),
      storeUs: each('storeSeconds') * 1e6,
      workerUs: each('workerSeconds') * 1e6,
    };
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    await store.stop();
  }
}

async function look({ sink, store, worker }) {
  return {
    arrived: await arrivedAt(sink),
    counts: await store.commandCounts(),
    storeSeconds: store.cpuSeconds(),
    workerSeconds: worker.cpuSeconds(),
  };
}
