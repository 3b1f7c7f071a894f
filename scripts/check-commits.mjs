// Checks the subjects of commits: conventional, and short enough for `git log --oneline`. Checks commits since a date,
// not since a base commit, which a shallow clone may lack. Skips merges, whose subjects git writes, and commits without
// a parent: an import, or the edge of a shallow clone.
import { execFileSync } from 'node:child_process';

const SINCE = '2026-11-28T22:00:00Z';
const MAX_LENGTH = 72;
const TYPES = 'build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test';
const CONVENTIONAL = new RegExp(`^(${TYPES})(\\([a-z0-9-]+\\))?!?: \\S`);

const log = ['log', '--min-parents=1', '--max-parents=1', `--since=${SINCE}`, '--format=%h %s'];
const commits = execFileSync('git', log, { encoding: 'utf8' }).split('\n').filter(Boolean);

const faults = commits.flatMap((commit) => {
  const [, id, subject] = /^(\S+) (.*)$/.exec(commit);
  if (!CONVENTIONAL.test(subject)) return [`${id} is not conventional: ${subject}`];
  const { length } = subject;
  return length > MAX_LENGTH
    ? [`${id} has ${length} characters, at most ${MAX_LENGTH}: ${subject}`]
    : [];
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
