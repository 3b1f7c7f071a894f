import type { DeliveryEngine, Storage } from '@latchhook/core';
import type { Queue } from 'bullmq';

/** What an app keeps things in and sends by, and how to let go of both. */
export interface Backend {
  /** Where things are kept, for people. */
  readonly place: string;
  readonly storage: Storage;
  readonly delivery: DeliveryEngine;
  /** The queue of deliveries, for a dashboard; `null` where there is none to look at. */
  readonly queue: Queue | null;
  /** After `auth.close()`. */
  close(): Promise<void>;
}
