import { drained, startServer } from '../harness/bench-server.mjs';
import { goalRow, goalTable } from '../harness/goal-table.mjs';
import { number, spread, table } from '../harness/markdown.mjs';
import { countsSince, startRedis } from '../harness/redis-server.mjs';
import { ratiosByRound, summarize } from '../harness/statistics.mjs';
import { availableServers } from '../servers.mjs';

/** The deliveries of a round, for each second asked for: they take the slowest sender at least that second. */
const DELIVERIES_PER_SECOND = 4_000;
/** Takes the quickest sender about a second, as elsewhere: after a thousand, the first rounds had half the later rate. */
const WARM_UP_DELIVERIES = 20_000;

const SENDERS = [
  ...['undici sender', 'latchhook in-process sender'],
  ...['bullmq sender', 'latchhook bullmq sender'],
];

const GOALS = [
  { sender: 'latchhook in-process sender', of: 'undici sender', atLeast: 0.85 },
  { sender: 'latchhook bullmq sender', of: 'bullmq sender', atLeast: 0.8 },
];

/** Signed POSTs of some 500 bytes, 50 in flight, published and delivered by senders that take turns. */
export const deliveries = { connections: [50], run };

async function run({ rounds, seconds }) {
  const redis = await startRedis();
  const [sinkDefinition] = availableServers(['sink']);
  const sink = await startServer(sinkDefinition, {}, 'client');
  const measured = [];
  try {
    for (const definition of availableServers(SENDERS)) {
      const environment = { SINK_URL: sink.url, REDIS_URL: redis.url };
      measured.push({ sender: await startServer(definition, environment), turns: [] });
    }
    for (const { sender } of measured) await takeTurn(sender, sink, redis, WARM_UP_DELIVERIES);
    for (let round = 0; round < rounds; round++) {
      for (const entry of round % 2 === 0 ? measured : measured.toReversed()) {
        const count = seconds * DELIVERIES_PER_SECOND;
        entry.turns.push(await takeTurn(entry.sender, sink, redis, count));
      }
    }
  } finally {
    await Promise.all([sink, ...measured.map(({ sender }) => sender)].map((one) => one.stop()));
    await redis.stop();
  }
  return [
    `50 in flight, ${rounds} alternated rounds of ${seconds * DELIVERIES_PER_SECOND} deliveries.`,
    rateTable(measured),
    goalTable(compare(measured)),
  ].join('\n\n');
}

async function takeTurn(sender, sink, redis, count) {
  const received = async () => Number(await (await fetch(sink.url)).text());
  const receivedBefore = await received();
  const commandsBefore = await redis.commandCounts();
  const cpuBefore = sender.cpuSeconds();
  const answer = await fetch(`${sender.url}/go?n=${count}`);
  if (!answer.ok) throw new Error(`${sender.name}: ${await answer.text()}`);
  const { seconds } = await answer.json();
  const delivered = (await received()) - receivedBefore;
  if (delivered !== count) throw new Error(`${sender.name} delivered ${delivered} of ${count}`);
  const turn = {
    perSecond: count / seconds,
    cpuUs: ((sender.cpuSeconds() - cpuBefore) / count) * 1e6,
    commands: countsSince(commandsBefore, await redis.commandCounts()).reduce(
      (sum, [, calls]) => sum + calls / count,
      0,
    ),
    residentMiB: sender.residentMiB(),
  };
  await drained(sender);
  return turn;
}

const samples = ({ turns }, metric) => turns.map((turn) => turn[metric]);

function rateTable(measured) {
  const median = (entry, metric) => number(summarize(samples(entry, metric)).median);
  return table(
    ['sender', 'deliveries/s', 'CPU us/delivery', 'Redis commands/delivery', 'RSS MiB'],
    measured.map((entry) => [
      entry.sender.name,
      spread(summarize(samples(entry, 'perSecond'))),
      median(entry, 'cpuUs'),
      median(entry, 'commands'),
      median(entry, 'residentMiB'),
    ]),
  );
}

function compare(measured) {
  const byName = new Map(measured.map((entry) => [entry.sender.name, entry]));
  return GOALS.map(({ sender, of, ...goal }) => {
    const [ours, theirs] = [sender, of].map((name) => samples(byName.get(name), 'perSecond'));
    return goalRow(`rate: ${sender} / ${of}`, ratiosByRound(ours, theirs), goal);
  });
}
