import type { PasswordOptions } from '@latchhook/core';
import { TEST_PASSWORD } from '../clients/users.ts';
import { type HeldCalls, heldCalls } from './held-calls.ts';

/** Password checks that a test can hold. */
export interface HeldPasswords extends Pick<HeldCalls, 'hold' | 'release'> {
  readonly options: PasswordOptions;
}

export function heldPasswords(): HeldPasswords {
  const { hold, release, pass } = heldCalls();
  return {
    options: {
      limitConcurrency: false,
      verifier: async (user, password) => {
        await pass();
        return user !== null && password === TEST_PASSWORD;
      },
    },
    hold,
    release,
  };
}
