import type { ServerResponse } from 'node:http';
import type { AuthResponse } from '@latchhook/core/adapter';

/**
 * Writes with Node's own calls: `res.json` would cost a third of what a bare Express request costs. Headers that the
 * host has set before stay.
 */
export function sendAuthResponse(res: ServerResponse, response: AuthResponse): void {
  // The client has gone, or a timeout of the host has answered in our place.
  if (res.destroyed || res.headersSent) return;
  const { status, headers, cookies, body } = response;
  if (cookies !== undefined) res.appendHeader('set-cookie', cookies);
  // RFC 9110 8.6: no Content-Length in a 204.
  if (status === 204) {
    res.writeHead(status, headers).end();
    return;
  }
  const length = Buffer.byteLength(body);
  res.writeHead(status, { ...headers, 'content-length': length });
  if (res.req.method === 'HEAD') res.end();
  // As many bytes as characters: it is ASCII, which Node writes faster as `latin1`.
  else res.end(body, length === body.length ? 'latin1' : 'utf8');
}
