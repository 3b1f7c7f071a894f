import { expect, it } from 'vitest';
import { certifyStorage } from './certify-storage.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { faultyRequests, faultySessions } from './self-test/faulty-storage.ts';
import { nonAtomic } from './self-test/reference.ts';
import type { StorageHarness } from './storage-harness.ts';
import { loginModel } from './suites/logins/login-model.ts';
import type { TestRunner } from './test-runner.ts';

it('certifyStorage passes the reference storage in all cases, each with a unique title', async () => {
  const { passed, failed } = await failingCases(
    certifyStorage,
    faultySessions(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(passed).size).toBe(passed.length);
});

/** Leaves out the suite with thousands of steps: `nonAtomic` repeats all earlier steps in each step. */
function certifyWithoutModel({ describe, it }: TestRunner, harness: StorageHarness): void {
  const describeFew: TestRunner['describe'] = (name, body) =>
    name === loginModel.name ? undefined : describe(name, body);
  certifyStorage({ describe: describeFew, it }, harness);
}

it('certifyStorage fails a non-atomic storage in parallel cases only', async () => {
  const { failed } = await failingCases(certifyWithoutModel, nonAtomic);
  expect(failed).toEqual([
    'sessions: races between processes > returns the same successor to 200 parallel rotations',
    'sessions: races between processes > replays at most replayLimit of 100 parallel rotations',
    'sessions: races between processes > returns reused to one of 50 parallel presentations of an old token',
    'sessions: races between processes > ends a session on revoke() during 16 parallel rotations',
    'sessions: races between processes > ends a session on revokeAll() during 16 parallel rotations',
    'sessions: races between processes > ends or rejects every login that runs in parallel to revokeAll()',
    'sessions: races between processes > returns true to one of 50 parallel calls of revoke()',
    'sessions: races between processes > keeps maxPerUser under 50 parallel creations',
    'challenges: races between processes > reserves 5 of 100 parallel attempts at one challenge',
    'challenges: races between processes > reserves 10 of 40 parallel attempts of one user, and locks out the others',
    'challenges: races between processes > completes one of 20 challenges in parallel with the same time step',
    'challenges: races between processes > completes a challenge once under 20 parallel calls',
    'challenges: races between processes > ends every session that a challenge creates during revokeAll()',
    'sessions and challenges: disturbances that lose no data > rotates once under 100 parallel calls during a disturbance',
  ]);
});

it('certifyStorage fails exactly the cases that an endless grace breaks', async () => {
  const { failed } = await failingCases(
    certifyStorage,
    faultyRequests('sessions', 'rotate', () => ({ graceMs: Number.MAX_SAFE_INTEGER })),
  );
  expect(failed).toEqual([
    'sessions: grace after a lost response > returns replayed up to and including graceMs, then reused even after a replay',
    'sessions: reuse of an old token > ends the session when a predecessor is presented after the grace',
    'sessions: races between processes > returns reused to one of 50 parallel presentations of an old token',
    ...[1, 2, 3].map(
      (seed) =>
        `sessions and challenges: same outcomes as the reference > matches the reference at every step of 1000 random transitions (seed ${seed})`,
    ),
  ]);
});
