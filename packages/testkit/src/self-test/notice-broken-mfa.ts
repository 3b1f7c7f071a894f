import { type MfaHarness, type MfaTrial, tryMfa } from '../mfa-trial.ts';
import type { Suite } from '../suite.ts';
import { mfaThat } from './mfa-that.ts';
import { type Broken, noticeBroken } from './notice-broken.ts';

const soundHarness = mfaThat(() => ({}));

/** Shows that each claim about second factors holds for the reference, and fails for each broken store. */
export function noticeBrokenMfa(suite: Suite<MfaTrial>, brokenStores: Broken<MfaHarness>): void {
  noticeBroken(suite, brokenStores, soundHarness, tryMfa);
}
