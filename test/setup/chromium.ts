import type { TestProject } from 'vitest/node';
import type { ProgramBinary } from '../support/servers/fetch-debian-program.ts';
import { findChromium } from '../support/servers/find-chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real Chromium. `null` if there is none. */
    chromium: ProgramBinary | null;
  }
}

/** Finds a real browser for the tests, or says that they are skipped. */
export default function setup(project: TestProject): void {
  const binary = findChromium();
  if (binary === undefined) {
    // Said once, because each skipped test only says that it was skipped.
    process.stderr.write(
      [
        'No Chromium was found, so that TESTS IN A BROWSER ARE SKIPPED. To run them, do one of these:',
        '  - install it (apt-get install chromium, apk add chromium, brew install chromium)',
        '  - set CHROMIUM_BIN to the path of a Chromium or a Chrome\n',
      ].join('\n'),
    );
  }
  project.provide('chromium', binary ?? null);
}
