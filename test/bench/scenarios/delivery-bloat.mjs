import pg from 'pg';
import { startServer } from '../harness/bench-server.mjs';
import { arrivedAt, publishBy, startSender, untilArrived } from '../harness/delivery-processes.mjs';
import { number, table } from '../harness/markdown.mjs';
import { startPostgres } from '../harness/postgres-server.mjs';
import { availableServers } from '../servers.mjs';

const PER_SECOND = 200;
/** The tables whose rows change with each delivery. */
const TABLES = ['queues', 'leases', 'arrivals', 'deliveries', 'messages'];
const SIZES = `
SELECT relname AS name, pg_total_relation_size(relid) AS bytes, n_live_tup AS live, n_dead_tup AS dead
  FROM pg_stat_user_tables WHERE relname = ANY($1)`;

/** PostgreSQL under steady deliveries for `--seconds`, with default autovacuum: what the tables hold. */
export const deliveryBloat = { connections: [1], run };

async function run({ seconds }) {
  const store = await startPostgres();
  const sink = await startServer(availableServers(['sink'])[0], {}, 'client');
  const processes = await startSender('latchhook postgres', {
    SINK_URL: sink.url,
    PG_URL: store.url,
  });
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  try {
    const looks = [];
    const startedMs = performance.now();
    for (let sixth = 1; sixth <= 6; sixth++) {
      const cpuBefore = store.cpuSeconds();
      const untilMs = startedMs + (sixth * seconds * 1_000) / 6;
      const delivered = await deliverUntil(untilMs, processes[0], sink);
      const { rows } = await client.query(SIZES, [TABLES]);
      looks.push({ rows, storeUs: ((store.cpuSeconds() - cpuBefore) / delivered) * 1e6 });
    }
    return report(looks, seconds);
  } finally {
    await client.end();
    await Promise.all([sink, ...processes].map((server) => server.stop()));
    await store.stop();
  }
}

async function deliverUntil(untilMs, publisher, sink) {
  const before = await arrivedAt(sink);
  let published = 0;
  for (let nextMs = performance.now(); nextMs < untilMs; nextMs += 500) {
    await new Promise((resolve) => setTimeout(resolve, nextMs - performance.now()));
    await publishBy(publisher, { count: PER_SECOND / 2, webhooks: 50 });
    published += PER_SECOND / 2;
  }
  await untilArrived(sink, before + published);
  return published;
}

function report(looks, seconds) {
  const cell = ({ rows }, name) => {
    const { bytes, live, dead } = rows.find((row) => row.name === name);
    return `${number(Number(bytes) / 1024)} KiB, ${number(Number(live))} / ${number(Number(dead))}`;
  };
  const [first, last] = [looks[0], looks.at(-1)];
  const rows = TABLES.map((name) => [name, cell(first, name), cell(last, name)]);
  rows.push(['PostgreSQL CPU, us a delivery', number(first.storeUs), number(last.storeUs)]);
  return [
    `${PER_SECOND} deliveries a second to 50 webhooks for ${seconds} s: size, rows alive / dead.`,
    table(['table', `after ${Math.round(seconds / 6)} s`, `after ${seconds} s`], rows),
  ].join('\n\n');
}
