export { createDeliveryWorker, type DeliveryWorkerOptions } from './create-delivery-worker.ts';
export { inProcessWorker } from './in-process-worker.ts';
export type { SendingOptions } from './sending-options.ts';
