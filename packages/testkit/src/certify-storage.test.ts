import { expect, it } from 'vitest';
import { certifyStorage } from './certify-storage.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { sessionsThat } from './self-test/faulty-storage.ts';
import { readThenWriteStorage } from './self-test/read-then-write-storage.ts';
import type { StorageHarness } from './storage-harness.ts';
import { loginModel } from './suites/logins/login-model.ts';
import type { TestRunner } from './test-runner.ts';

it('certifyStorage has unique claims, all of which the reference passes', async () => {
  const { held, failed } = await failingCases(
    certifyStorage,
    sessionsThat(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

/** Leaves out the suite with thousands of steps: to read, that storage takes all earlier ones again. */
function certifyInFewSteps({ describe, it }: TestRunner, harness: StorageHarness): void {
  const describeFew: TestRunner['describe'] = (name, body) =>
    name === loginModel.name ? undefined : describe(name, body);
  certifyStorage({ describe: describeFew, it }, harness);
}

it('certifyStorage catches a storage that reads, then writes, by its races alone', async () => {
  const { failed } = await failingCases(certifyInFewSteps, readThenWriteStorage);
  expect(failed).toEqual([
    'sessions: races between processes > one of 200 parallel rotations wins, and all are answered with one successor',
    'sessions: races between processes > no more than replayLimit rotations are answered beside the winner',
    'sessions: races between processes > one of many presentations of an old token is answered reused',
    'sessions: races between processes > no rotation survives a revocation, whatever was pending',
    'sessions: races between processes > no rotation survives a revocation of all, whatever was pending',
    'sessions: races between processes > no login that began before a revocation of all survives it',
    'sessions: races between processes > one of many parallel revocations ends the session',
    'sessions: races between processes > the cap holds among parallel creations',
    'challenges: races between processes > one challenge takes 5 of 100 parallel attempts',
    'challenges: races between processes > one user takes 10 parallel attempts over 40 challenges, and is locked',
    'challenges: races between processes > one time step completes one of 20 challenges',
    'challenges: races between processes > one challenge is completed by one of 20 sessions',
    'challenges: races between processes > no session that a challenge started during a revocation of all survives it',
    'disturbances that lose no data > change nothing in the midst of a race',
  ]);
});

it('certifyStorage names the claims that an endless grace breaks', async () => {
  const { failed } = await failingCases(
    certifyStorage,
    sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: Number.MAX_SAFE_INTEGER }),
    })),
  );
  expect(failed).toEqual([
    'sessions: grace after a lost answer > lasts graceMs to the millisecond, inclusive',
    'sessions: grace after a lost answer > is not prolonged by being used',
    'sessions: reuse of an old token > ends the session when a predecessor comes after the grace',
    'sessions: races between processes > one of many presentations of an old token is answered reused',
    ...[1, 2, 3].map(
      (seed) =>
        `same outcomes as the reference > holds at every step of 1000 random transitions (seed ${seed})`,
    ),
  ]);
});
