import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENT_MS } from './test/support/time/patience.ts';

// Tests run on the sources, without a build. Dependencies are found as Node finds them: what is meant for bundlers
// alone (`module`) need not run in it.
const conditions = ['@latchhook/source', 'node', 'development|production'];
const faults = 'test/faults/**/*.test.ts';
const browser = 'test/browser/**/*.test.ts';
const redis = 'packages/redis/src/**/*.test.ts';
/** Takes minutes of real waiting: `.ci/run` alone runs it, before the other tests. */
const slow = 'test/delivery/outages.test.ts';
/**
 * Storages by the scripts, the SQL or the decisions of another one: `.ci/run` alone runs the whole testkit on these
 * too. The main flows over HTTP are among the other tests.
 */
const derived = [
  'test/storage/{guide-engines,mysql,pglite,redis-cluster,sqlite}.test.ts',
  'examples/document-storage/src/**/*.test.ts',
];
/** What measures time, and so has the machine for itself. */
const timed = [
  'test/delivery/{host-clients,outages,overload,rate}.test.ts',
  'test/e2e-faults/**/*.test.ts',
];

// What hangs is given up by then. No bound on how fast anything is: a test that claims one, measures it.
const HANGS_AFTER_MS = 3 * PATIENT_MS;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    silent: 'passed-only',
    // One process for many files: they share a PGlite, which takes seconds to open, and load every module once.
    isolate: false,
    // Most wait for a server most of the time.
    maxWorkers: 2,
    setupFiles: ['./test/setup/real-timers.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // For `.ci/run`, whose twenty thousand tests run for half an hour: see there.
    retry: process.env['RETRY_FAILED'] === undefined ? 0 : 1,
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
          exclude: [...configDefaults.exclude, faults, browser, ...timed, ...derived],
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts', 'test/setup/mysql.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'timed',
          include: timed,
          exclude: [...configDefaults.exclude, slow],
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts', 'test/setup/mysql.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browser],
          globalSetup: ['test/setup/chromium.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [slow],
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          name: 'derived',
          include: derived,
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts', 'test/setup/mysql.ts'],
        },
      },
      {
        // Runs for minutes: `pnpm test:faults`, not part of `pnpm test`.
        extends: true,
        test: {
          name: 'faults',
          include: [faults],
          globalSetup: ['test/setup/redis.ts', 'test/setup/postgres.ts', 'test/setup/mysql.ts'],
          testTimeout: 300_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          // Some measure what their process holds.
          isolate: true,
        },
      },
    ],
  },
});
