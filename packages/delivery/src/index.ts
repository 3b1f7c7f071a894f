export type { BullmqConnection, BullmqConnectionOptions } from './bullmq/bullmq-connections.ts';
export {
  type BullmqDeliveryOptions,
  bullmqDelivery,
} from './bullmq/bullmq-engine.ts';
export {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from './create-delivery-worker.ts';
export {
  type InProcessDeliveryOptions,
  inProcessDelivery,
} from './in-process/in-process-engine.ts';
export type { SweepOptions } from './intake/sweep-options.ts';
export type { SendingOptions } from './sending-options.ts';
