import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

// A separate process, because a loaded module stays loaded. It runs on the published form of the packages.
function statusesOf(when: 'before' | 'during'): {
  readonly short: unknown;
  readonly after: unknown;
} {
  const program = fileURLToPath(
    new URL('../support/apps/run-short-of-descriptors.mjs', import.meta.url),
  );
  const command = 'ulimit -n 256 && exec "$0" "$1" "$2"';
  const args = ['-c', command, process.execPath, program, when];
  return JSON.parse(execFileSync('sh', args, { encoding: 'utf8', stdio: 'pipe' }));
}

const ALL_WELL = { login: 200, accessToken: 200, challenge: 200, enrolment: 201, openapi: 200 };

it('an app whose first requests lacked file descriptors recovers once they are back', () => {
  const { short, after } = statusesOf('during');
  expect(short).toEqual({
    login: 500,
    accessToken: 500,
    challenge: 500,
    enrolment: 500,
    openapi: 500,
  });
  expect(after).toEqual(ALL_WELL);
});

it('an app that runs out of file descriptors soon after createAuth responds as usual', () => {
  expect(statusesOf('before').short).toEqual(ALL_WELL);
});
