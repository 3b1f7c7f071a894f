import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENT_MS } from './test/support/time/patience.ts';

// Tests run on the sources, without a build. Dependencies are found as Node finds them: what is meant for bundlers
// alone (`module`) need not run in it.
const conditions = ['@latchhook/source', 'node', 'development|production'];
const faults = 'test/faults/**/*.test.ts';
const redis = 'packages/redis/src/**/*.test.ts';

// What hangs is given up by then. No bound on how fast anything is: a test that claims one, measures it.
const HANGS_AFTER_MS = 3 * PATIENT_MS;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    silent: 'passed-only',
    // One process for all files: they share a PGlite, which takes seconds to open, and load every module once.
    isolate: false,
    setupFiles: ['./test/setup/real-timers.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    expect: { poll: { timeout: PATIENT_MS } },
    reporters: ['default', './test/setup/tally-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, redis],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts', 'examples/*/src/**/*.test.ts', redis],
          exclude: [...configDefaults.exclude, faults],
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts'],
        },
      },
      {
        // Runs for minutes: `pnpm test:faults`, not part of `pnpm test`.
        extends: true,
        test: {
          name: 'faults',
          include: [faults],
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts'],
          testTimeout: 300_000,
          fileParallelism: false,
          // Some measure what their process holds.
          isolate: true,
        },
      },
    ],
  },
});
