import { createServer } from 'node:http';
import { receiveWebhook, rejectionStatus } from '@latchhook/receiver';

/** Receives webhooks and prints the verified ones. Variables: `WEBHOOK_SECRET`, as it was shown; `PORT` (4000). */
const { PORT = '4000', WEBHOOK_SECRET: secret } = process.env;
if (!secret)
  throw new Error('WEBHOOK_SECRET is missing: it was shown when the webhook was created');

const server = createServer(async (req, res) => {
  const received = await receiveWebhook(req, { secret });
  switch (received.outcome) {
    case 'received':
      // An event may come twice. Keep `received.webhook.id` in the transaction that handles it, before the answer.
      console.log(`verified: ${JSON.stringify(received.webhook)}`);
      res.writeHead(204).end();
      return;
    case 'duplicate':
      res.writeHead(204).end();
      return;
    case 'rejected':
      console.log(`rejected: ${received.reason}`);
      res.writeHead(rejectionStatus(received.reason)).end();
      return;
    case 'aborted':
      // The sender has gone.
      return;
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${PORT}`);
});
process.once('SIGTERM', () => server.close());
