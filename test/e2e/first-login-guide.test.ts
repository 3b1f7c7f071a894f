import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProcessGroup } from '../support/apps/process-group.ts';
import { startWithSharedIssuer } from '../support/apps/start-app.ts';
import { freePort } from '../support/servers/free-port.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(`${ROOT}docs/guides/first-login.md`, 'utf8');

/** Each block of commands, with its output in the guide, or none. */
const steps = Array.from(
  guide.matchAll(/```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs),
  ([, commands = '', shown = '']) => ({ commands, shown }),
);

/** Printed before the output of each block. */
const MARK = '--- block ---';

/** Masks values that differ between runs. */
const varying = [
  /(?<="(?:access_token|refresh_token|challenge|token|prefix|id|jti|secret|user_agent)":")[^"]*/g,
  /(?<="(?:iat|exp|duration_ms)":)\d+/g,
  /(?<="recovery_codes":)\[.*?\]/g,
  /(?<=\?secret=)[^&]*/g,
  /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
];

function masked(output: string): string {
  return varying.reduce((rest, pattern) => rest.replaceAll(pattern, '…'), output).trim();
}

/** Runs all blocks in one shell, like a reader, and resolves to the output of each. */
async function run(apiUrl: string, receiverPort: string): Promise<readonly string[]> {
  const script = steps.map(({ commands }) => `echo '${MARK}'\n${commands}`).join('');
  const localScript = script
    .replace('http://127.0.0.1:3000', apiUrl)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${receiverPort}`);
  const shell = await startProcessGroup('bash', ['-euc', localScript], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], PORT: receiverPort },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => shell.kill9());
  if (shell.child.stdout === null) throw new Error('the shell has no output');
  const [output] = await Promise.all([text(shell.child.stdout), once(shell.child, 'exit')]);
  const [, ...blocks] = output.replaceAll(receiverPort, '4000').split(`${MARK}\n`);
  return blocks;
}

// Some machines have no curl.
const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)('docs/guides/first-login.md', () => {
  it('shows the output that its commands print', async () => {
    const { app } = await startWithSharedIssuer('express-starter', {});
    const printed = await run(app.url, String(await freePort()));
    expect(printed).not.toHaveLength(0);
    expect(printed.map(masked)).toEqual(steps.map(({ shown }) => masked(shown)));
  });
});
