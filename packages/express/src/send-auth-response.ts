import type { ServerResponse } from 'node:http';
import type { AuthResponse } from '@latchhook/core/adapter';

/** Sends by the methods of `node:http`, as `res.json` is much slower. Keeps headers that the host has set. */
export function sendAuthResponse(res: ServerResponse, response: AuthResponse): void {
  // The client has disconnected, or a timeout of the host has already sent a response.
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
  // A body with as many bytes as characters is ASCII, which Node writes faster as `latin1`.
  else res.end(body, length === body.length ? 'latin1' : 'utf8');
}
