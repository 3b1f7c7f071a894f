import { createServer } from 'node:http';
import { receiveWebhook, rejectionStatus } from '@latchhook/receiver';

/** Receives webhooks, and prints the verified ones. Environment variables: `WEBHOOK_SECRET`, `PORT` (default: 4000). */
const { PORT = '4000', WEBHOOK_SECRET: secret } = process.env;
if (!secret)
  throw new Error('WEBHOOK_SECRET is missing: it was shown when the webhook was created');

const server = createServer(async (req, res) => {
  const result = await receiveWebhook(req, { secret });
  switch (result.outcome) {
    case 'received':
      // A webhook may arrive twice: store `result.webhook.id` in the transaction that handles it, before the response.
      console.log(`verified: ${JSON.stringify(result.webhook)}`);
      res.writeHead(204).end();
      return;
    case 'duplicate':
      res.writeHead(204).end();
      return;
    case 'rejected':
      console.log(`rejected: ${result.reason}`);
      res.writeHead(rejectionStatus(result.reason)).end();
      return;
    case 'aborted':
      // The sender has disconnected.
      return;
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${PORT}`);
});
process.once('SIGTERM', () => {
  server.close();
  // Otherwise a client that keeps sending keeps its connection, and the server never closes.
  server.prependListener('request', (_req, res) => res.setHeader('connection', 'close'));
});
