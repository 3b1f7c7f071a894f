import type { StorageHarness } from './storage-harness.ts';
import type { Proof } from './suite.ts';
import { type TurnableClock, turnableClock } from './turnable-clock.ts';

/** What claims about any storage are tried on: one that was just opened, and is empty. */
export interface Trial<Connection> {
  readonly clock: TurnableClock;
  /** The first connection. */
  readonly storage: Connection;
  /** Further independent connections to the same data. */
  connections(count: number): Promise<readonly Connection[]>;
  /** Does nothing where the harness knows no disturbance. */
  disturb(): Promise<void>;
  /** Everything at rest; empty where the harness cannot tell. */
  dump(): Promise<string>;
}

/** One proof, on a storage of its own. */
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
