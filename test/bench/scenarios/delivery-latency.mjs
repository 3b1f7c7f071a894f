import { startServer } from '../harness/bench-server.mjs';
import { arrivedAt, publishBy, startSender, untilArrived } from '../harness/delivery-processes.mjs';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { startPostgres } from '../harness/postgres-server.mjs';
import { startRedis } from '../harness/redis-server.mjs';
import { quantile, summarize } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

const EVENTS = 100;
/** Long enough for worker and store to be idle again, ms. */
const PAUSE_MS = 30;

/** A lone event, publisher and worker apart: from the call of `publish` to its arrival at the receiver. */
export const deliveryLatency = { connections: [1], run };

async function run({ rounds }) {
  const rows = [];
  const stores = [
    { senders: ['bullmq', 'latchhook redis'], variable: 'REDIS_URL', start: startRedis },
    { senders: ['latchhook postgres'], variable: 'PG_URL', start: startPostgres },
  ];
  for (const { senders, variable, start } of stores) {
    const store = await start();
    const sink = await startServer(availableServers(['sink'])[0], {}, 'client');
    try {
      for (const name of senders) {
        rows.push(
          ...(await measure(name, sink, { SINK_URL: sink.url, [variable]: store.url }, rounds)),
        );
      }
    } finally {
      await sink.stop();
      await store.stop();
    }
  }
  return [
    `${EVENTS} events in each of ${rounds} rounds, one after the other.`,
    goalList(rows),
  ].join('\n\n');
}

async function measure(name, sink, environment, rounds) {
  const processes = await startSender(name, environment);
  if (processes.length === 0) return [];
  try {
    // To warm up.
    await takeRound(processes[0], sink);
    const taken = [];
    for (let round = 0; round < rounds; round++) taken.push(await takeRound(processes[0], sink));
    const goals = name.startsWith('latchhook') ? { p50: { atMost: 5 }, p99: { atMost: 15 } } : {};
    return ['p50', 'p99'].map((which) =>
      goalLine(
        `${name}, ${which}, ms`,
        summarize(taken.map((round) => round[which])),
        goals[which],
      ),
    );
  } finally {
    await Promise.all(processes.map((server) => server.stop()));
  }
}

async function takeRound(publisher, sink) {
  const latencies = [];
  for (let nth = 0; nth < EVENTS; nth++) {
    const arrived = untilArrived(sink, (await arrivedAt(sink)) + 1);
    const startedAtMs = await publishBy(publisher, { count: 1, webhooks: 1 });
    await arrived;
    latencies.push(Number(await (await fetch(`${sink.url}/last`)).text()) - startedAtMs);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}
