import { storageOn } from '@latchhook/core/storage';
import {
  certifyEngine,
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
  type EngineHarness,
  type StorageHarness,
} from '@latchhook/testkit';
import { describe, it } from 'vitest';
import { PATIENT_MS } from '../time/patience.ts';

/** Certifies an engine, and the storage that core derives from it. */
export function certifyEngineStorage(engines: EngineHarness): void {
  certifyEngine({ describe, it }, engines);
  const harness: StorageHarness = {
    async open({ clock }) {
      const { connect, close } = await engines.open({ clock });
      return {
        connect: async () => storageOn(await connect(), { clock, deadlineMs: PATIENT_MS }),
        close,
      };
    },
  };
  certifyStorage({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyStartup({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  // The windows of the limiters run on the system's clock.
  certifyLimiters(
    { describe, it },
    {
      async open() {
        const { connect, close } = await engines.open({});
        return {
          connect: async () => storageOn(await connect(), { deadlineMs: PATIENT_MS }),
          close,
        };
      },
    },
  );
}
