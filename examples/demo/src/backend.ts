import type { Storage } from '@latchhook/core/storage';

/** What an app stores things in, and how to close it. */
export interface Backend {
  /** Where things are kept, in words for people. */
  readonly place: string;
  readonly storage: Storage;
  /** Call it after `auth.close()`. */
  close(): Promise<void>;
}
