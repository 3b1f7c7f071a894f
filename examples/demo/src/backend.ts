import type { DeliveryEngine } from '@latchhook/core/delivery';
import type { Storage } from '@latchhook/core/storage';
import type { Queue } from 'bullmq';

/** What an app stores things in and sends by, and how to close both. */
export interface Backend {
  /** Where things are kept, in words for people. */
  readonly place: string;
  readonly storage: Storage;
  readonly delivery: DeliveryEngine;
  /** The queue of deliveries, for a dashboard; `null` where there is none to look at. */
  readonly queue: Queue | null;
  /** Call it after `auth.close()`. */
  close(): Promise<void>;
}
