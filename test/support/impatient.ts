import type { SessionStore } from '@latchhook/core';
import { expect } from 'vitest';
import { rotation } from '../redis/samples.ts';

/** Asks again for as long as a storage has too short a deadline for a machine that has other work. */
export async function untilAnswered(ask: () => PromiseLike<unknown>): Promise<void> {
  await expect
    .poll(async () => {
      await ask();
      return 'answered';
    })
    .toBe('answered');
}

/** A client's refresh, which it repeats where it gets no answer: the session is at its first generation. */
export async function goesOn(sessions: Pick<SessionStore, 'rotate'>): Promise<void> {
  await expect
    .poll(async () => sessions.rotate(rotation(1)))
    .toMatchObject({ session: { generation: 2 } });
}
