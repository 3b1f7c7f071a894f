import assert from 'node:assert/strict';
import type { Clock } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { assertHarness } from './assert-harness.ts';
import { assertHoldsNoSecrets } from './assert-holds-no-secrets.ts';
import type { StorageHarness } from './storage-harness.ts';
import type { TestRunner } from './test-runner.ts';
import { turnableClock } from './time/turnable-clock.ts';

/** Logs in, refreshes and answers challenges on the storage. Returns all secrets that were in use. */
export type SecretFlow = (options: {
  readonly storage: Storage;
  /** The clock of the storage, for the rest of the app. */
  readonly clock: Clock;
}) => Promise<readonly string[]>;

/**
 * Registers a test that no secret is at rest in plain text or another encoding. Core passes no secret to a storage, so
 * this also tests core: the flow should be the real one. The harness must have `dump`.
 */
export function certifyAtRest(runner: TestRunner, harness: StorageHarness, flow: SecretFlow): void {
  assertHarness('certifyAtRest', runner, harness);
  runner.describe('secrets at rest', () => {
    runner.it('stores no secret that the flow has used', async () => {
      const clock = turnableClock();
      const opened = await harness.open({ clock });
      try {
        if (opened.dump === undefined) assert.fail('the harness has no dump() to look at');
        const storage = await opened.connect();
        const secrets = await flow({ storage, clock });
        assert.notEqual(secrets.length, 0, 'the flow used no secret');
        const dump = await opened.dump();
        assert.notEqual(dump, '', 'nothing is at rest');
        assertHoldsNoSecrets(dump, secrets);
      } finally {
        await opened.close();
      }
    });
  });
}
