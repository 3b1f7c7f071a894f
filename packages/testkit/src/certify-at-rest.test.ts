import { memoryStorage } from '@latchhook/core';
import { expect, it } from 'vitest';
import { certifyAtRest } from './certify-at-rest.ts';
import { AMPLE_LIMITS, newSession } from './samples/login-samples.ts';
import { failingCases } from './self-test/failing-cases.ts';
import type { StorageHarness } from './storage-harness.ts';

const SECRET = 'lhrt_this-is-a-refresh-token';

/** A storage whose dump is the list of sessions. */
const sessionDump: StorageHarness = {
  open: async ({ clock }) => {
    const storage = memoryStorage({ clock });
    return {
      connect: async () => storage,
      dump: async () => JSON.stringify(await storage.sessions.list(newSession('s1').userId)),
      close: async () => {},
    };
  },
};

function certify(sessionId: string, secrets: readonly string[]) {
  return failingCases((runner, harness) => {
    certifyAtRest(runner, harness, async ({ storage }) => {
      await storage.sessions.create(newSession(sessionId), AMPLE_LIMITS);
      return secrets;
    });
  }, sessionDump);
}

it('certifyAtRest passes if no secret of the flow is at rest', async () => {
  expect((await certify('s1', [SECRET])).failed).toEqual([]);
});

it('certifyAtRest fails if a secret of the flow is at rest', async () => {
  expect((await certify(SECRET, [SECRET])).failed).toHaveLength(1);
});

it('certifyAtRest fails if the flow returns no secret', async () => {
  expect((await certify('s1', [])).failed).toHaveLength(1);
});

it('certifyAtRest fails if the storage has no dump()', async () => {
  const { failed } = await failingCases(
    (runner, harness: StorageHarness) => certifyAtRest(runner, harness, async () => [SECRET]),
    {
      open: async (options) => {
        const { connect, close } = await sessionDump.open(options);
        return { connect, close };
      },
    },
  );
  expect(failed).toHaveLength(1);
});
