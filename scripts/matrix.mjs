// Runs the tests on other versions of Node.js: `node scripts/matrix.mjs 22 24`.
import { spawnSync } from 'node:child_process';

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', '!faults'];
const failed = process.argv.slice(2).filter((major) => {
  console.log(`\nNode.js ${major}`);
  const run = ['-y', '-p', `node@${major}`, 'node', ...vitest];
  return spawnSync('npx', run, { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) console.error(`failed on Node.js ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
