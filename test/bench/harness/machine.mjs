import { execFileSync, spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadGenerator } from './load.mjs';
import { pinning } from './pinning.mjs';
import { folderOfPostgres } from './postgres-server.mjs';

/** What figures depend on, in one line: date, commit (its lockfile has the packages), machine and servers. */
export function describeMachine() {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return [
    new Date().toISOString().slice(0, 10),
    git('rev-parse', '--short', 'HEAD'),
    `${cpus().length}x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${memoryGiB} GiB`,
    ...(pinning === null ? ['nothing pinned'] : []),
    `Node/${process.versions.node}`,
    `Redis/${firstMatch('redis-server', /v=(\S+)/)}`,
    `PostgreSQL/${firstMatch(join(folderOfPostgres() ?? '', 'postgres'), / (\d\S+)/, '-V')}`,
    ...(loadGenerator === 'wrk' ? [] : [loadGenerator]),
  ].join('; ');
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function firstMatch(command, pattern, flag = '-v') {
  const { stdout, stderr } = spawnSync(command, [flag], { encoding: 'utf8' });
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown';
}
