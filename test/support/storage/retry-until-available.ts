import type { SessionStore } from '@latchhook/core/storage';
import { expect } from 'vitest';
import { rotateRequest } from './login-samples.ts';

/** Repeats the call until it resolves: the deadline of the storage may be too short on a busy machine. */
export async function retryUntilAvailable(call: () => PromiseLike<unknown>): Promise<void> {
  await expect
    .poll(async () => {
      await call();
      return 'resolved';
    })
    .toBe('resolved');
}

/** Expects a refresh from the first generation to succeed, and repeats it while the storage is unavailable. */
export async function expectSessionGoesOn(sessions: Pick<SessionStore, 'rotate'>): Promise<void> {
  await expect
    .poll(async () => sessions.rotate(rotateRequest(1)))
    .toMatchObject({ session: { generation: 2 } });
}
