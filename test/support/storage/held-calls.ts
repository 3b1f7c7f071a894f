/** A place at which calls wait for as long as a test likes. */
export interface HeldCalls {
  /** Holds the calls that begin from now on; resolves when the first of them has begun. */
  hold(): Promise<void>;
  /** Lets the held calls go on, and holds no more. */
  release(): void;
  /** Resolves once the call may go on. */
  pass(): Promise<void>;
}

export function heldCalls(): HeldCalls {
  let held: Promise<void> | undefined;
  let release = () => {};
  let onBegin = () => {};
  return {
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
    async pass() {
      onBegin();
      await held;
    },
  };
}
