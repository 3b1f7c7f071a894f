// A worker process that kills itself (SIGKILL) after it has claimed an attempt and before it sends it. Environment:
// `PG_URL`, `PG_SCHEMA`, `ENCRYPTION_KEY` (base64). Prints `ready`.
import { createDeliveryWorker } from '@latchhook/delivery';
import { postgresStorage } from '@latchhook/postgres';
import pg from 'pg';

const { PG_URL, PG_SCHEMA, ENCRYPTION_KEY = '' } = process.env;
const storage = postgresStorage(new pg.Pool({ connectionString: PG_URL }), { schema: PG_SCHEMA });
const { deliveries } = storage;
const claim = deliveries.claim.bind(deliveries);
deliveries.claim = async (request) => {
  const result = await claim(request);
  if (result.attempts.length > 0) process.kill(process.pid, 'SIGKILL');
  return result;
};
createDeliveryWorker({
  storage,
  keys: { encryption: [Buffer.from(ENCRYPTION_KEY, 'base64')] },
  webhooks: { allowHttp: true, allowPrivateAddresses: true },
});
process.stdout.write('ready\n');
