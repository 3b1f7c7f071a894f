import { createInterface } from 'node:readline';
import { identity } from './identity.mjs';
import { cpuSeconds, residentMiB, startPinned, stop } from './pinned-process.mjs';

const READY_WITHIN_MS = 20_000;

/**
 * Starts a measured server, or one on the side of the load, and waits for its ready line: JSON with a `url`, or a bare
 * URL. The README lists its environment and the routes that it answers.
 */
export async function startServer({ name, command }, environment, side = 'server') {
  const startedMs = performance.now();
  const child = startPinned(side, command, {
    ...identity,
    ...environment,
    NODE_ENV: 'production',
  });
  const ready = await readyLine(name, child);
  return {
    name,
    ...ready,
    readyAfterMs: performance.now() - startedMs,
    cpuSeconds: () => cpuSeconds(child),
    residentMiB: () => residentMiB(child),
    stop: () => stop(child),
  };
}

function readyLine(name, child) {
  return new Promise((resolve, reject) => {
    const fail = (what) => reject(new Error(`${name} ${what}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`printed no URL within ${READY_WITHIN_MS} ms`);
    }, READY_WITHIN_MS);
    child.once('error', (error) => fail(`did not start: ${error.message}`));
    child.once('exit', (code) => fail(`ended with ${code} before it was ready`));
    // The reader stays on after the ready line: a pipe that nobody drains would stop the server.
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = parseReadyLine(line);
      if (ready === null) return;
      clearTimeout(timer);
      resolve(ready);
    });
  });
}

function parseReadyLine(line) {
  if (line.startsWith('{')) return JSON.parse(line);
  const url = /https?:\/\/[^\s"']+/.exec(line)?.[0];
  return url === undefined ? null : { url };
}

/** Waits until a server has finished what a load left in flight, so that it does not burden the next turn. */
export async function drained(server) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const before = server.cpuSeconds();
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (!(server.cpuSeconds() - before > 0.02)) return;
  }
}
