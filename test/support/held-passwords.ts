import type { PasswordOptions } from '@latchhook/core';
import { TEST_PASSWORD } from './users.ts';

/** Password checks that take for as long as a test likes. */
export interface HeldPasswords {
  readonly options: PasswordOptions;
  /** Holds the checks that begin from now on; resolves when the first of them has begun. */
  hold(): Promise<void>;
  /** Lets the held checks end, and holds no more. */
  release(): void;
}

export function heldPasswords(): HeldPasswords {
  let held: Promise<void> | undefined;
  let release = () => {};
  let onBegin = () => {};
  return {
    options: {
      gate: false,
      verifier: async (user, password) => {
        onBegin();
        await held;
        return user !== null && password === TEST_PASSWORD;
      },
    },
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
      return new Promise((resolve) => {
        onBegin = resolve;
      });
    },
    release() {
      held = undefined;
      release();
    },
  };
}
