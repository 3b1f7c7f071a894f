import { spawnSync } from 'node:child_process';
import { environmentOf, fetchDebianProgram, type ProgramBinary } from './fetch-debian-program.ts';
import { programsOnPath } from './programs-on-path.ts';

const NAMES = [
  'chromium',
  'chromium-browser',
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
];

const PACKAGED = {
  name: 'chromium',
  packages: ['chromium-headless-shell'],
  path: 'usr/lib/chromium/chromium-headless-shell',
};

/**
 * Looks for a real Chromium: `CHROMIUM_BIN`, then PATH, then the packages of Debian, unpacked under
 * `node_modules/.cache`.
 *
 * @returns `undefined` if there is none.
 * @throws {Error} if `CHROMIUM_BIN` does not run.
 */
export function findChromium(): ProgramBinary | undefined {
  const named = process.env['CHROMIUM_BIN'];
  if (named !== undefined && named !== '') {
    const binary = { path: named, libraryPath: '' };
    if (!runs(binary)) throw new Error(`CHROMIUM_BIN is ${named}, which does not run.`);
    return binary;
  }
  const installed = programsOnPath(NAMES).map((path) => ({ path, libraryPath: '' }));
  return installed.find(runs) ?? fetchDebianProgram(PACKAGED, runs);
}

function runs(binary: ProgramBinary): boolean {
  const { status } = spawnSync(binary.path, ['--version'], { env: environmentOf(binary) });
  return status === 0;
}
