/** A point in a call at which a test can hold calls. */
export interface HeldCalls {
  /** Holds the calls that begin from now on; resolves when the first of them has begun. */
  hold(): Promise<void>;
  /** Lets the held calls continue, and holds no further calls. */
  release(): void;
  /** To be awaited by a call; resolves once the call may continue. */
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
