export type { BullmqConnection, BullmqConnectionOptions } from './bullmq-connections.ts';
export {
  type BullmqDelivery,
  type BullmqDeliveryOptions,
  bullmqDelivery,
} from './bullmq-engine.ts';
export {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from './create-delivery-worker.ts';
export { type InProcessDeliveryOptions, inProcessDelivery } from './in-process-engine.ts';
export type { SendingOptions } from './sending-options.ts';
export type { SweepOptions } from './sweeper.ts';
