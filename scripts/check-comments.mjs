// Checks the length of the lines of comments, which the formatter leaves alone. The rows of tables cannot be wrapped.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const MAX_LENGTH = 120;

const tracked = execFileSync('git', ['ls-files', '-z', '*.ts'], { encoding: 'utf8' }).split('\0');
// A file that was removed stays tracked until the removal is staged.
const sources = tracked.filter((path) => !path.includes('/generated/') && existsSync(path));

const isComment = (line) => /^\s*(\/\/|\/\*|\*\s)/.test(line);
const isRow = (line) => /^\s*\* \|.*\|$/.test(line);

const faults = sources.flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.length > MAX_LENGTH && isComment(line) && !isRow(line)
        ? [`${path}:${index + 1}: ${line.length} characters, at most ${MAX_LENGTH}`]
        : [],
    ),
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
