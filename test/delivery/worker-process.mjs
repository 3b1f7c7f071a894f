// A worker process that its test kills. Its store is in the memory of the process that started it, which answers over
// IPC. Prints `ready`.
import { systemClock } from '@latchhook/core';
import { bullmqDelivery } from '@latchhook/delivery';

const { REDIS_URL, QUEUE_NAME, POLICY } = process.env;
const { hostname: host, port } = new URL(REDIS_URL);
const waiting = new Map();
let calls = 0;

process.on('message', ({ call, answer }) => {
  waiting.get(call)(answer);
  waiting.delete(call);
});

const ask = (method) => (argument) =>
  new Promise((resolve) => {
    calls += 1;
    waiting.set(calls, resolve);
    process.send({ call: calls, method, argument });
  });

bullmqDelivery({ connection: { host, port: Number(port) }, queueName: QUEUE_NAME }).connect({
  deliveries: { start: ask('start'), finish: ask('finish'), overdue: ask('overdue') },
  openSecrets: () => [Buffer.alloc(32, 7)],
  policy: JSON.parse(POLICY),
  clock: systemClock,
  emit: (event) => process.stderr.write(`${event.type} ${event.error ?? ''}\n`),
});
process.stdout.write('ready\n');
