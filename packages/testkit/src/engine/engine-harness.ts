import type { StorageEngine } from '@latchhook/core/storage';
import type { Ability, OpenStorage } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';

/** How the kit opens the engine that is to be certified. */
export interface EngineHarness {
  /** The optional methods of what it opens. Claims that need others are skipped. Default: none. */
  readonly abilities?: readonly Ability[];
  /**
   * Opens an empty place that no other test uses. Every claim opens one.
   *
   * @param options.clock - Where the engine must take its time from. Without it, it takes the time as in production.
   */
  open(options: { readonly clock?: TurnableClock }): Promise<OpenStorage<StorageEngine>>;
}
