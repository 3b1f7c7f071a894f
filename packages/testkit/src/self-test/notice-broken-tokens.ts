import {
  type PersonalAccessTokenHarness,
  type PersonalAccessTokenTrial,
  tryPersonalAccessTokens,
} from '../personal-access-token-trial.ts';
import type { Suite } from '../suite.ts';
import { type Broken, noticeBroken } from './notice-broken.ts';
import { tokensThat } from './personal-access-tokens-that.ts';

const soundHarness = tokensThat(() => ({}));

/** Shows that each claim about tokens holds for the reference, and fails for each of the broken stores. */
export function noticeBrokenTokens(
  suite: Suite<PersonalAccessTokenTrial>,
  brokenStores: Broken<PersonalAccessTokenHarness>,
): void {
  noticeBroken(suite, brokenStores, soundHarness, tryPersonalAccessTokens);
}
