import assert from 'node:assert/strict';
import type { Ability, StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type TurnableClock, turnableClock } from '../time/turnable-clock.ts';

/** What a claim about any storage is tried on: a new, empty one. */
export interface Trial<Connection> {
  readonly clock: TurnableClock;
  /** The first connection. */
  readonly storage: Connection;
  /** Makes more independent connections to the same data. */
  connections(count: number): Promise<readonly Connection[]>;
  /** For suites that need it, as `dump` is. */
  disturb(): Promise<void>;
  dump(): Promise<string>;
}

function lacks(method: Ability): never {
  assert.fail(`what the harness opened has no ${method}(), which its \`abilities\` promise`);
}

/** Runs one proof on a new storage. */
export async function tryOnNew<Connection>(
  harness: StorageHarness<Connection>,
  prove: Proof<Trial<Connection>>,
): Promise<void> {
  const clock = turnableClock();
  const opened = await harness.open({ clock });
  try {
    await prove({
      clock,
      storage: await opened.connect(),
      connections: (count) => Promise.all(Array.from({ length: count }, () => opened.connect())),
      disturb: () => opened.disturb?.() ?? lacks('disturb'),
      dump: () => opened.dump?.() ?? lacks('dump'),
    });
  } finally {
    await opened.close();
  }
}
