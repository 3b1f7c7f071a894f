import { memoryStorage } from '@latchhook/core';
import { type LoginFixture, tryLogins } from '../fixtures/login-fixture.ts';
import type { StorageHarness } from '../storage-harness.ts';
import type { Suite } from '../suite.ts';
import { type Broken, expectFaultsNoticed } from './expect-faults-noticed.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';

const soundStorage: StorageHarness = {
  abilities: ABILITIES,
  open: async ({ clock }) => {
    const storage = memoryStorage({ clock });
    return { connect: async () => storage, ...IN_PROCESS };
  },
};

/** Shows that each claim about logins holds for the reference, and fails for each of the broken storages. */
export function expectLoginFaultsNoticed(
  suite: Suite<LoginFixture>,
  brokenStores: Broken<StorageHarness>,
): void {
  expectFaultsNoticed(suite, brokenStores, soundStorage, tryLogins);
}
