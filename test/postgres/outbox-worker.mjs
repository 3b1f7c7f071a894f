// A process that sends. It kills itself (SIGKILL) when it has taken a message out of the outbox and not handed it over
// yet. Environment: `PG_URL`, `PG_SCHEMA`, `ENCRYPTION_KEY` (base64). Prints `ready`.
import { createDeliveryWorker, inProcessDelivery } from '@latchhook/delivery';
import { postgresStorage } from '@latchhook/postgres';
import pg from 'pg';

const { PG_URL, PG_SCHEMA, ENCRYPTION_KEY = '' } = process.env;
const storage = postgresStorage(new pg.Pool({ connectionString: PG_URL }), { schema: PG_SCHEMA });
const { outbox } = storage.deliveries;
const takeCommitted = outbox.takeCommitted.bind(outbox);
outbox.takeCommitted = async (request) => {
  const answer = await takeCommitted(request);
  if (answer.taken.length > 0) process.kill(process.pid, 'SIGKILL');
  return answer;
};
createDeliveryWorker({
  storage,
  keys: { encryption: [Buffer.from(ENCRYPTION_KEY, 'base64')] },
  webhooks: { delivery: inProcessDelivery(), allowHttp: true, allowPrivateAddresses: true },
});
process.stdout.write('ready\n');
// The worker alone does not keep the process alive.
setInterval(() => {}, 60_000);
