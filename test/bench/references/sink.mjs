// A receiver of webhooks that answers 204 and counts them: `GET /` answers the count.
import { serve } from './contract.mjs';

let count = 0;
const server = serve((request, response) => {
  if (request.method === 'GET') {
    response.end(String(count));
    return;
  }
  request.resume().on('end', () => {
    count += 1;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
