import type { StorageEngine } from '@latchhook/core/storage';
import type { Ability, OpenStorage } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';

/** How the kit opens the engine that is to be certified. */
export interface EngineHarness {
  /** The optional methods that an opened engine has. Test cases that need others are skipped. Default: none. */
  readonly abilities?: readonly Ability[];
  /**
   * Opens an engine on an empty database that no other test uses. Every test case opens one.
   *
   * @param options.clock - The clock that the engine must use. If absent, the engine uses the time as in production.
   */
  open(options: { readonly clock?: TurnableClock }): Promise<OpenStorage<StorageEngine>>;
}
