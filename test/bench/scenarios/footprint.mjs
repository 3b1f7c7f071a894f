import { execFileSync } from 'node:child_process';
import { goalLine, goalList } from '../harness/goal-list.mjs';
import { spread, table } from '../harness/markdown.mjs';
import { pinned } from '../harness/pinning.mjs';
import { summarize } from '../harness/statistics.mjs';

const MODULES = [
  '@latchhook/core',
  '@latchhook/express',
  '@latchhook/koa',
  '@latchhook/redis',
  'express',
  'koa',
  'ioredis',
  'jose',
];

/**
 * What importing a package costs a fresh process: time, and memory compared with an empty process of the same round.
 */
export const footprint = { connections: [1], run };

function run({ rounds }) {
  const measured = MODULES.map((name) => ({ name, imports: [] }));
  for (let round = 0; round < rounds; round++) {
    const empty = importInFreshProcess();
    for (const { name, imports } of measured) {
      const { importMs, residentMiB } = importInFreshProcess(name);
      imports.push({ importMs, addedMiB: residentMiB - empty.residentMiB });
    }
  }
  const rows = measured.map(({ name, imports }) => ({
    name,
    importMs: summarize(imports.map((sample) => sample.importMs)),
    addedMiB: summarize(imports.map((sample) => sample.addedMiB)),
  }));
  const core = rows[0];
  return [
    `${rounds} alternated rounds.`,
    table(
      ['package', 'import ms', 'RSS MiB added'],
      rows.map((row) => [row.name, spread(row.importMs), spread(row.addedMiB)]),
    ),
    goalList([
      goalLine(`${core.name}: import ms`, core.importMs, { atMost: 60 }),
      goalLine(`${core.name}: RSS MiB added`, core.addedMiB, { atMost: 15 }),
    ]),
  ].join('\n\n');
}

function importInFreshProcess(name) {
  const code = `
    const startedMs = performance.now();
    ${name === undefined ? '' : `await import('${name}');`}
    const importMs = performance.now() - startedMs;
    const residentMiB = process.memoryUsage.rss() / 2 ** 20;
    console.log(JSON.stringify({ importMs, residentMiB }));
    process.exit();`;
  const [file, ...args] = pinned('server', [process.execPath, '--input-type=module', '-e', code]);
  // From this folder, so that packages are resolved as in the servers.
  return JSON.parse(execFileSync(file, args, { cwd: import.meta.dirname, encoding: 'utf8' }));
}
