import { execFileSync } from 'node:child_process';
import { cpSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';

const core = fileURLToPath(new URL('../../packages/core', import.meta.url));

/** A copy of the published form of core, in a separate folder. */
async function copyOfCore(): Promise<string> {
  const folder = realpathSync(await temporaryFolder());
  for (const part of ['dist', 'src', 'package.json']) {
    cpSync(join(core, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(core, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function warningsOf(...args: readonly string[]): unknown {
  const program = fileURLToPath(
    new URL('../support/apps/load-copies-of-core.mjs', import.meta.url),
  );
  const printed = execFileSync(process.execPath, ['--no-warnings', program, ...args], {
    encoding: 'utf8',
  });
  return JSON.parse(printed);
}

describe('a process', () => {
  it('gets one warning, with both paths, if it loads two copies of core', async () => {
    const folder = await copyOfCore();
    const [first, second] = [core, folder].map((at) => join(at, 'src/loading/dependencies.cjs'));
    expect(warningsOf(folder)).toEqual([
      {
        code: 'LATCHHOOK_COPIES',
        message: expect.stringContaining(`from ${first} and ${second}`),
      },
    ]);
  });

  it('gets no warning if several entries load one copy of core', () => {
    expect(warningsOf()).toEqual([]);
  });
});
