import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type TurnableClock, turnableClock } from '../time/turnable-clock.ts';

/** What a claim about any storage is tried on: a new, empty one. */
export interface Trial<Connection> {
  readonly clock: TurnableClock;
  /** The first connection. */
  readonly storage: Connection;
  /** Makes more independent connections to the same data. */
  connections(count: number): Promise<readonly Connection[]>;
  /** Does nothing if the harness has no `disturb`. */
  disturb(): Promise<void>;
  /** Dumps everything at rest; empty if the harness has no `dump`. */
  dump(): Promise<string>;
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
      disturb: async () => opened.disturb?.(),
      dump: async () => (await opened.dump?.()) ?? '',
    });
  } finally {
    await opened.close();
  }
}
