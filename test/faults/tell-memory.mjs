// Preloaded into an app. Every few seconds it prints the memory of the process after a garbage collection: before one,
// the memory varies by tens of MiB. It does not keep the process alive.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_MS = 2_000;
const MIB = 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

setInterval(() => {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const sample = {
    atMs: performance.now(),
    heldMib: (heapUsed + external) / MIB,
    rssMib: rss / MIB,
  };
  process.stdout.write(`memory ${JSON.stringify(sample)}\n`);
}, EVERY_MS).unref();
