// Everything that CI checks except the tests: `pnpm check:static`. Runs all checks even if one fails, and prints the
// output of those that fail.
import { spawnSync } from 'node:child_process';

const eachPackage = ['pnpm', '-r', '--filter', './packages/*', 'exec'];

const checks = {
  build: ['pnpm', 'build'],
  'format and lint': ['biome', 'ci', '--colors=off', '--error-on-warnings', '.'],
  'length of comments': ['node', 'scripts/check-comments.mjs'],
  'subjects of commits': ['node', 'scripts/check-commits.mjs'],
  'layers and package boundaries': ['node', 'scripts/check-imports.mjs'],
  'links of the documentation': ['node', 'scripts/check-links.mjs'],
  'snippets of the documentation': ['node', 'scripts/check-snippets.mjs'],
  'unused code and dependencies': ['knip'],
  'package.json files': ['sherif'],
  'types of the tests': ['tsc', '-p', 'test'],
  'public interface (docs/api)': ['node', 'tools/api-report.mjs'],
  'routes (docs/api/openapi.json)': ['node', 'scripts/openapi.mjs'],
  'types of the routes (packages/client)': ['node', 'tools/openapi-types.mjs'],
  'size of the client': ['node', 'scripts/client-size.mjs'],
  'package contents': [...eachPackage, 'publint', '--strict'],
  'package types': [...eachPackage, 'attw', '--pack', '.', '--profile', 'esm-only'],
};

const failed = Object.entries(checks).filter(([name, command]) => !passes(name, command));
for (const [name] of failed) console.error(`failed: ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function passes(name, [program, ...args]) {
  const startedAtMs = performance.now();
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (status !== 0) console.error([error?.message, stdout, stderr].filter(Boolean).join('\n'));
  return status === 0;
}
