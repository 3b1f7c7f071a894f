// node test/bench/profile.mjs <server> <scenario> [--seconds 5] [--connections 16] [--top 40]
// Shows where a server spends its CPU under the load of a scenario: self time by place in the code, and by package.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from './harness/bench-server.mjs';
import { load } from './harness/load.mjs';
import { table } from './harness/markdown.mjs';
import { pinThisProcess } from './harness/pinning.mjs';
import { startStores } from './harness/stores.mjs';
import { scenarios } from './scenarios.mjs';
import { availableServers } from './servers.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    top: { type: 'string', default: '40' },
  },
});
const [serverName = 'latchhook koa', scenarioName = 'refresh'] = positionals;
const connections = Number(values.connections);

pinThisProcess();
const folder = mkdtempSync(join(tmpdir(), 'latchhook-profile-'));
try {
  const idleUs = await record(scenarios[scenarioName]);
  report(JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8')), idleUs);
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * Runs the scenario's request against the server; the profile is written when the server ends.
 *
 * @returns how long the server ran before the load began, microseconds
 */
async function record(scenario) {
  const [{ name, command }] = availableServers([serverName]);
  const [executable, ...args] = command;
  const profiled = [executable, '--cpu-prof', '--cpu-prof-dir', folder, ...args];
  const { environment, stop } = await startStores(scenario);
  const startedMs = performance.now();
  const server = await startServer({ name, command: profiled }, environment);
  try {
    const prepared = await scenario.prepare?.(server);
    const request = await scenario.request(server, { connections, prepared });
    const idleUs = (performance.now() - startedMs) * 1000;
    const result = await load(server, request, { connections, seconds: Number(values.seconds) });
    console.log(`${name}: ${Math.round(result.perSecond)} requests/s under the profiler\n`);
    return idleUs;
  } finally {
    await server.stop();
    await stop();
  }
}

function report({ nodes, samples, timeDeltas }, idleUs) {
  const callFrames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byPlace = new Map();
  const byPackage = new Map();
  let elapsedUs = 0;
  let busyUs = 0;
  samples.forEach((id, index) => {
    elapsedUs += timeDeltas[index];
    const frame = callFrames.get(id);
    if (elapsedUs < idleUs || frame.functionName === '(idle)') return;
    busyUs += timeDeltas[index];
    add(byPlace, place(frame), timeDeltas[index]);
    add(byPackage, packageOf(frame), timeDeltas[index]);
  });
  console.log(`${shares('package', byPackage, busyUs)}\n\n${shares('place', byPlace, busyUs)}`);
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function place({ functionName, url, lineNumber }) {
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/(packages|test)\//, '$1/');
  return file === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}

function packageOf({ functionName, url }) {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  if (url.startsWith('node:')) return 'node';
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return dependency ?? /\/(packages\/[^/]+|test)\//.exec(url)?.[1] ?? url;
}

function shares(title, sums, total) {
  const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, Number(values.top));
  return table(
    [title, 'self time'],
    sorted.map(([key, value]) => [key, `${((value / total) * 100).toFixed(1)} %`]),
  );
}
