import { createServer } from 'node:http';
import { receiveWebhook } from '@latchhook/receiver';

/** Receives webhooks and prints what is verified: `WEBHOOK_SECRET`, as it was shown; `PORT` (4000). */
const { PORT = '4000', WEBHOOK_SECRET = '' } = process.env;

const server = createServer(async (req, res) => {
  const received = await receiveWebhook(req, { secret: WEBHOOK_SECRET });
  if (received.outcome === 'refused') {
    console.log(`refused: ${received.reason}`);
    res.writeHead(401).end();
    return;
  }
  if (received.outcome === 'received') console.log(`verified: ${JSON.stringify(received.webhook)}`);
  res.writeHead(204).end();
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${PORT}`);
});
process.once('SIGTERM', () => server.close());
