import { availableServers } from '../servers.mjs';
import { drained, startServer } from './bench-server.mjs';
import { goalLine, goalList } from './goal-list.mjs';
import { load } from './load.mjs';
import { number, spread, table } from './markdown.mjs';
import { countsSince } from './redis-server.mjs';
import { ratiosByRound, summarize } from './statistics.mjs';
import { startStores } from './stores.mjs';

const WARM_UP_SECONDS = 1;

/**
 * Measures one request on several servers, in alternated rounds: all are started first, then they take turns, round
 * after round, every second round backwards. The first server runs twice: the second copy's ratio is the noise.
 *
 * @param scenario
 *   - `servers`: their names
 *   - `postgres`, `mysql`: whether they need PostgreSQL, MariaDB
 *   - `environment`: variables for each server
 *   - `prepare(server)`: called once for each server; what it resolves to is passed to `request`
 *   - `request(server, {connections, prepared})`: makes the request of a turn
 *   - `comparisons`: the ratios that matter, with their goals
 */
export async function throughput(scenario, { connections, rounds, seconds }) {
  const { redis, environment, stop } = await startStores(scenario);
  const measured = [];
  try {
    for (const definition of withControl(availableServers(scenario.servers))) {
      const server = await startServer(definition, environment);
      const prepared = await scenario.prepare?.(server);
      measured.push({ server, prepared, turns: [] });
    }
    const turn = (entry, turnSeconds) =>
      takeTurn(scenario, entry, redis, { connections, seconds: turnSeconds });
    for (const entry of measured) await turn(entry, WARM_UP_SECONDS);
    for (let round = 0; round < rounds; round++) {
      for (const entry of round % 2 === 0 ? measured : measured.toReversed()) {
        entry.turns.push(await turn(entry, seconds));
      }
    }
  } finally {
    await Promise.all(measured.map(({ server }) => server.stop()));
    await stop();
  }
  return [
    `${connections} connections, ${rounds} rounds of ${seconds} s; failed: ${failed(measured)}.`,
    rateTable(measured),
    goalList([...compare(scenario, measured), ...missedByFailures(measured)]),
  ].join('\n\n');
}

const controlName = (name) => `${name} (again)`;
const isNoControl = ({ server }) => !server.name.endsWith('(again)');

const withControl = ([first, ...rest]) => [
  first,
  { name: controlName(first.name), command: first.command },
  ...rest,
];

async function takeTurn(scenario, { server, prepared }, redis, { connections, seconds }) {
  const request = await scenario.request(server, { connections, prepared });
  const commandsBefore = await redis.commandCounts();
  const cpuBefore = server.cpuSeconds();
  const result = await load(server, request, { connections, seconds });
  const turn = {
    ...result,
    cpuUs: ((server.cpuSeconds() - cpuBefore) / result.requests) * 1e6,
    commands: countsSince(commandsBefore, await redis.commandCounts()),
    residentMiB: server.residentMiB(),
  };
  await drained(server);
  return turn;
}

const samples = (entry, metric) => entry.turns.map((turn) => turn[metric]);
const failures = (entry) => samples(entry, 'failed').reduce((sum, failed) => sum + failed, 0);

function rateTable(measured) {
  const median = (entry, metric) => number(summarize(samples(entry, metric)).median);
  return table(
    [
      'server',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'CPU us/request',
      'Redis commands/request',
      'RSS MiB',
    ],
    // The table omits the control, which is only needed for its ratio.
    measured
      .filter(isNoControl)
      .map((entry) => [
        entry.server.name,
        spread(summarize(samples(entry, 'perSecond'))),
        median(entry, 'p50Ms'),
        median(entry, 'p99Ms'),
        median(entry, 'cpuUs'),
        commandsPerRequest(entry.turns.at(-1)),
        median(entry, 'residentMiB'),
      ]),
  );
}

/** Redis commands per request, including those inside scripts; without rare ones, which are housekeeping. */
function commandsPerRequest({ commands, requests }) {
  const perRequest = commands.map(([, calls]) => calls / requests).filter((calls) => calls > 0.02);
  return number(perRequest.reduce((sum, calls) => sum + calls, 0));
}

function compare({ comparisons }, measured) {
  const byName = new Map(measured.map((entry) => [entry.server.name, entry]));
  const control = measured[0].server.name;
  return [...comparisons, { server: controlName(control), of: control, label: 'noise' }]
    .filter(({ server, of }) => byName.has(server) && byName.has(of))
    .map(({ server, of, metric = 'perSecond', label = metricLabels[metric], ...goal }) => {
      const ratios = ratiosByRound(
        samples(byName.get(server), metric),
        samples(byName.get(of), metric),
      );
      return goalLine(`${label}: ${server} / ${of}`, ratios, goal);
    });
}

const metricLabels = { perSecond: 'rate', residentMiB: 'memory' };

const failed = (measured) =>
  measured
    .filter((entry) => failures(entry) > 0)
    .map((entry) => `${entry.server.name} ${failures(entry)}`)
    .join(', ') || 'none';

/** The candidates must not fail a single request. */
function missedByFailures(measured) {
  return measured
    .filter((entry) => entry.server.name.startsWith('latchhook ') && failures(entry) > 0)
    .map((entry) => {
      const count = failures(entry);
      const summary = { median: count, min: count, max: count };
      return goalLine(`failed requests: ${entry.server.name}`, summary, { atMost: 0 });
    });
}
