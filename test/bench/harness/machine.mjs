import { execFileSync, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadGenerator } from './load.mjs';
import { pinning } from './pinning.mjs';
import { folderOfPostgres } from './postgres-server.mjs';

const require = createRequire(import.meta.url);
const PACKAGES = ['express', 'koa', 'ioredis', 'pg', 'jose', 'argon2'];

/** What figures depend on, in one line: the date, the commit, the class of machine, the versions. */
export function describeMachine() {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const pins =
    pinning === null
      ? 'nothing pinned'
      : `server on CPU ${pinning.server}, load and stores on CPU ${pinning.client}`;
  return [
    new Date().toISOString().slice(0, 10),
    `commit ${git('rev-parse', '--short', 'HEAD')}`,
    `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${memoryGiB} GiB, ${process.platform}`,
    pins,
    `Node ${process.versions.node}`,
    `Redis ${firstMatch('redis-server', /v=(\S+)/)}`,
    `PostgreSQL ${firstMatch(join(folderOfPostgres() ?? '', 'postgres'), / (\d\S+)/, '-V')}`,
    loadGenerator === 'wrk' ? `wrk ${firstMatch('wrk', /wrk (\S+)/)}` : 'autocannon',
    ...PACKAGES.map((name) => `${name} ${require(`${name}/package.json`).version}`),
  ].join('; ');
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

// The exit code is ignored: `wrk -v` prints its version and ends with 1.
function firstMatch(command, pattern, flag = '-v') {
  const { stdout, stderr } = spawnSync(command, [flag], { encoding: 'utf8' });
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown';
}
