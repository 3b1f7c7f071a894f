import type { Storage } from '@latchhook/core/storage';

/** A storage, and how to close its connections. */
export interface Backend {
  /** Where the data is stored, in words, to be printed at the start. */
  readonly location: string;
  readonly storage: Storage;
  /** Call it after `auth.close()`. */
  close(): Promise<void>;
}
