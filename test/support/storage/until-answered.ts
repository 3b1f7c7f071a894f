import type { SessionStore } from '@latchhook/core/storage';
import { expect } from 'vitest';
import { rotateRequest } from './login-samples.ts';

/** Asks until it is answered: the deadline of the storage may be too short for a busy machine. */
export async function untilAnswered(ask: () => PromiseLike<unknown>): Promise<void> {
  await expect
    .poll(async () => {
      await ask();
      return 'answered';
    })
    .toBe('answered');
}

/** Refreshes a session of the first generation, again if there is no answer, and expects it to go on. */
export async function goesOn(sessions: Pick<SessionStore, 'rotate'>): Promise<void> {
  await expect
    .poll(async () => sessions.rotate(rotateRequest(1)))
    .toMatchObject({ session: { generation: 2 } });
}
