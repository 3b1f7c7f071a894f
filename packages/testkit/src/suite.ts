import type { ChallengeStore, SessionStore, Storage } from '@latchhook/core';
import type { StorageHarness } from './storage-harness.ts';
import type { TestRunner } from './test-runner.ts';
import { type TurnableClock, turnableClock } from './turnable-clock.ts';

/** What a claim is tried on: a storage just opened, and empty. */
export interface Trial {
  readonly clock: TurnableClock;
  readonly storage: Storage;
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  /** Further independent connections to the same data. */
  connections(count: number): Promise<readonly Storage[]>;
  /** Does nothing where the harness knows no disturbance. */
  disturb(): Promise<void>;
}

/** Settles where the claim holds, and throws where it does not. */
export type Proof = (trial: Trial) => Promise<void>;

/** One capability: what is claimed of it, in words, and how each claim is proved. */
export interface Suite {
  readonly name: string;
  readonly claims: Readonly<Record<string, Proof>>;
}

export function registerSuites(
  { describe, it }: TestRunner,
  harness: StorageHarness,
  suites: readonly Suite[],
): void {
  for (const suite of suites) {
    describe(suite.name, () => {
      for (const [claim, prove] of Object.entries(suite.claims)) {
        it(claim, () => tryOn(harness, prove));
      }
    });
  }
}

/** One proof, on a storage of its own. */
export async function tryOn(harness: StorageHarness, prove: Proof): Promise<void> {
  const clock = turnableClock();
  const opened = await harness.open({ clock });
  try {
    const storage = await opened.connect();
    await prove({
      clock,
      storage,
      sessions: storage.sessions,
      challenges: storage.challenges,
      connections: (count) => Promise.all(Array.from({ length: count }, () => opened.connect())),
      disturb: async () => opened.disturb?.(),
    });
  } finally {
    await opened.close();
  }
}
