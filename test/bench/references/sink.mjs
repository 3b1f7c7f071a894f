// A receiver of webhooks that answers 204 and counts them. `GET /` answers the count; `GET /until?count=5` does so once
// the count is 5; `GET /last` answers when the last one came, in ms since 1970.
import { serve } from './contract.mjs';

let count = 0;
let lastAtMs = 0;
let until = { count: Infinity, answer() {} };
const server = serve((request, response) => {
  if (request.method === 'GET') {
    const { pathname, searchParams } = new URL(request.url, 'http://bench');
    if (pathname === '/last') return response.end(String(lastAtMs));
    const answer = () => response.end(String(count));
    const wanted = Number(searchParams.get('count'));
    if (pathname === '/until' && count < wanted) until = { count: wanted, answer };
    else answer();
    return;
  }
  lastAtMs = performance.timeOrigin + performance.now();
  request.resume().on('end', () => {
    count += 1;
    response.writeHead(204).end();
    if (count >= until.count) {
      until.answer();
      until = { count: Infinity, answer() {} };
    }
  });
});
server.keepAliveTimeout = 60_000;
