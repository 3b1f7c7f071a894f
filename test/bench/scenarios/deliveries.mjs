import { drained, startServer } from '../harness/bench-server.mjs';
import { arrivedAt, publishBy, startSender, untilArrived } from '../harness/delivery-processes.mjs';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { number, spread, table } from '../harness/markdown.mjs';
import { startPostgres } from '../harness/postgres-server.mjs';
import { countsSince, startRedis } from '../harness/redis-server.mjs';
import { ratiosByRound, summarize } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

const DELIVERIES = 6_000;

/*
 * `rate` of a goal is the least ratio of the deliveries per second, and `cost` the greatest ratio of the CPU time per
 * delivery, of the sender and of Redis.
 */

const IN_ONE_PROCESS = {
  senders: ['undici sender', 'latchhook memory sender', 'bullmq sender', 'latchhook redis sender'],
  goals: [
    { ours: 'latchhook memory sender', of: 'undici sender', rate: 0.7 },
    { ours: 'latchhook redis sender', of: 'bullmq sender', rate: 1.5, cost: 0.6 },
  ],
};

const APART = {
  senders: ['bullmq', 'latchhook redis'],
  goals: [{ ours: 'latchhook redis', of: 'bullmq', rate: 1.5, cost: 0.6 }],
};

const APART_ON_POSTGRES = {
  senders: ['pg-boss', 'graphile', 'latchhook postgres'],
  goals: [
    { ours: 'latchhook postgres', of: 'pg-boss', rate: 1.5 },
    { ours: 'latchhook postgres', of: 'graphile', rate: 3 },
  ],
  postgres: true,
};

/** Signed POSTs of some 500 bytes, 50 in flight, published and delivered by one process. */
export const deliveries = { connections: [50], run: (settings) => run(IN_ONE_PROCESS, settings) };

/** The same deliveries with the publisher in a separate process. */
export const deliveriesApart = { connections: [50], run: (settings) => run(APART, settings) };

/** The same on PostgreSQL. */
export const deliveriesApartOnPostgres = {
  connections: [50],
  run: (settings) => run(APART_ON_POSTGRES, settings),
};

async function run({ senders, goals, postgres }, { rounds }) {
  const store = postgres ? await startPostgres() : await startRedis();
  const [sinkDefinition] = availableServers(['sink']);
  const sink = await startServer(sinkDefinition, {}, 'client');
  const environment = { SINK_URL: sink.url, [postgres ? 'PG_URL' : 'REDIS_URL']: store.url };
  const measured = [];
  try {
    for (const name of senders) {
      const processes = await startSender(name, environment);
      // Turns by the number of webhooks.
      if (processes.length > 0) measured.push({ name, processes, turns: { 50: [], 1: [] } });
    }
    // To warm up.
    for (const entry of measured) {
      for (const webhooks of [50, 1]) await takeTurn(entry, sink, store, webhooks);
    }
    for (let round = 0; round < rounds; round++) {
      for (const webhooks of [50, 1]) {
        for (const entry of round % 2 === 0 ? measured : measured.toReversed()) {
          entry.turns[webhooks].push(await takeTurn(entry, sink, store, webhooks));
        }
      }
    }
  } finally {
    const servers = [sink, ...measured.flatMap(({ processes }) => processes)];
    await Promise.all(servers.map((server) => server.stop()));
    await store.stop();
  }
  return [
    `50 in flight, ${rounds} alternated rounds of ${DELIVERIES} deliveries, publishing included.`,
    rateTable(measured),
    goalList(goals.flatMap((goal) => compare(measured, goal))),
  ].join('\n\n');
}

async function takeTurn({ processes }, sink, store, webhooks) {
  const [publisher] = processes;
  const sender = processes.at(-1);
  const before = await arrivedAt(sink);
  const commandsBefore = await store.commandCounts?.();
  const [senderBefore, storeBefore] = [sender.cpuSeconds(), store.cpuSeconds()];
  const startedMs = performance.now();
  const arrived = untilArrived(sink, before + DELIVERIES);
  await publishBy(publisher, { count: DELIVERIES, webhooks });
  await arrived;
  const seconds = (performance.now() - startedMs) / 1000;
  await drained(sender);
  const perDelivery = (since, now) => ((now - since) / DELIVERIES) * 1e6;
  const commands = commandsBefore && countsSince(commandsBefore, await store.commandCounts());
  return {
    perSecond: DELIVERIES / seconds,
    senderUs: perDelivery(senderBefore, sender.cpuSeconds()),
    storeUs: perDelivery(storeBefore, store.cpuSeconds()),
    commands: commands?.reduce((sum, [, calls]) => sum + calls / DELIVERIES, 0) ?? Number.NaN,
    residentMiB: sender.residentMiB(),
  };
}

const samples = ({ turns }, webhooks, metric) => turns[webhooks].map((turn) => turn[metric]);

function rateTable(measured) {
  const rows = measured.flatMap((entry) =>
    [50, 1].map((webhooks) => {
      const median = (metric) => number(summarize(samples(entry, webhooks, metric)).median);
      return [
        entry.name,
        String(webhooks),
        spread(summarize(samples(entry, webhooks, 'perSecond'))),
        ...['senderUs', 'storeUs', 'commands', 'residentMiB'].map(median),
      ];
    }),
  );
  const columns = ['sender', 'webhooks', 'deliveries/s', 'sender CPU us', 'store CPU us'];
  return table([...columns, 'Redis commands', 'RSS MiB'], rows);
}

function compare(measured, { ours, of, rate, cost }) {
  const [mine, theirs] = [ours, of].map((name) => measured.find((entry) => entry.name === name));
  if (mine === undefined || theirs === undefined) return [];
  const row = (webhooks, metric, what, goal) =>
    goalLine(
      `${what}, ${webhooks} webhooks: ${ours} / ${of}`,
      ratiosByRound(samples(mine, webhooks, metric), samples(theirs, webhooks, metric)),
      goal,
    );
  return [50, 1].flatMap((webhooks) => [
    row(webhooks, 'perSecond', 'rate', { atLeast: rate }),
    ...(cost === undefined
      ? []
      : [
          row(webhooks, 'senderUs', 'sender CPU', { atMost: cost }),
          row(webhooks, 'storeUs', 'Redis CPU', { atMost: cost }),
        ]),
  ]);
}
