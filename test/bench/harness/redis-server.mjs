import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from './free-port.mjs';
import { cpuSeconds, startPinned, stop } from './pinned-process.mjs';

/** Starts a `redis-server` for this run: loopback, a free port, nothing written to disk. */
export async function startRedis() {
  const port = await freePort();
  const child = startPinned('client', [
    ...['redis-server', '--bind', '127.0.0.1', '--port', String(port)],
    ...['--save', '', '--appendonly', 'no', '--loglevel', 'warning'],
  ]);
  child.stdout.resume();
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  // Rejected connections are expected until the server listens; `ping` waits them out.
  client.on('error', () => {});
  await client.ping();
  return {
    url: `redis://127.0.0.1:${port}`,
    cpuSeconds: () => cpuSeconds(child),
    commandCounts: async () => parseCommandCounts(await client.info('commandstats')),
    trace: (work) => trace(client, work),
    version: async () => /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown',
    stop: async () => {
      client.disconnect();
      await stop(child);
    },
  };
}

/** How often each command was called since `before`, including calls of scripts inside Redis. */
export function countsSince(before, after) {
  return Object.entries(after)
    .map(([command, calls]) => [command, calls - (before[command] ?? 0)])
    .filter(([, calls]) => calls > 0);
}

const OWN_COMMANDS = new Set(['info', 'ping', 'hello', 'client|setinfo', 'monitor']);

function parseCommandCounts(info) {
  const counts = [...info.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)];
  return Object.fromEntries(
    counts.filter(([, name]) => !OWN_COMMANDS.has(name)).map(([, name, calls]) => [name, +calls]),
  );
}

/** The names of the commands that clients sent while `work` ran. Unlike in `commandstats`, each is a round trip. */
async function trace(client, work) {
  const monitor = await client.monitor();
  const commands = [];
  monitor.on('monitor', (_time, [command], source) => {
    if (source !== 'lua' && command !== 'info') commands.push(command.toLowerCase());
  });
  await work();
  // MONITOR streams in order: once our own command shows up, everything before it has been seen.
  const end = once(monitor, 'monitor');
  await Promise.all([client.info('server'), end]);
  monitor.disconnect();
  return commands;
}
