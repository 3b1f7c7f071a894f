import { memoryStorage } from '@latchhook/core';
import { expect, it } from 'vitest';
import { certifyAtRest } from './certify-at-rest.ts';
import { newSession, ROOMY } from './samples/login-samples.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import type { StorageHarness } from './storage-harness.ts';

const SECRET = 'lhrt_this-is-a-refresh-token';

/** Dumps the user's sessions, which stand for everything at rest. */
const dumping: StorageHarness = {
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
  return failingClaims((runner, harness) => {
    certifyAtRest(runner, harness, async ({ storage }) => {
      await storage.sessions.create(newSession(sessionId), ROOMY);
      return secrets;
    });
  }, dumping);
}

it('holds if nothing that was in use is at rest', async () => {
  expect((await certify('s1', [SECRET])).failed).toEqual([]);
});

it('fails if a secret is at rest', async () => {
  expect((await certify(SECRET, [SECRET])).failed).toHaveLength(1);
});

it('fails if the flow used no secret, rather than prove nothing', async () => {
  expect((await certify('s1', [])).failed).toHaveLength(1);
});

it('fails if there is nothing to look at', async () => {
  const { failed } = await failingClaims(
    (runner, harness: StorageHarness) => certifyAtRest(runner, harness, async () => [SECRET]),
    {
      open: async (options) => {
        const { connect, close } = await dumping.open(options);
        return { connect, close };
      },
    },
  );
  expect(failed).toHaveLength(1);
});
