// A worker process without HTTP, as in a deployment. delivery-parts.mjs describes its environment. Prints
// `ready`, and ends cleanly on SIGTERM.
import { createDeliveryWorker } from '@latchhook/delivery';
import { deliveryOptions, endConnections, storage } from './delivery-parts.mjs';

const worker = createDeliveryWorker({ storage, ...deliveryOptions({ work: true }) });

process.once('SIGTERM', async () => {
  await worker.close();
  await endConnections();
});
process.stdout.write('ready\n');
