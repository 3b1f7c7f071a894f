import type { AttemptResult } from '@latchhook/core/storage';

/**
 * What kept an attempt from being answered. Everything but `sender_failed` counts as the receiver's failure.
 *
 * - `url_refused`: a URL that nothing may be sent to, such as plain http where that is not allowed
 * - `address_refused`: its host is, or has among its addresses, one that is not global unicast
 * - `dns_failed`: its name has no address
 * - `connection_refused`, `connection_failed`: no connection could be made
 * - `tls_failed`: no certificate that proves the host
 * - `connection_reset`: the connection ended before the answer did
 * - `invalid_answer`: what came is not HTTP, or has endless headers
 * - `timeout`: time was up, whatever it was spent on
 * - `proxy_refused`: the proxy of the host would not, or could not, reach it
 * - `sender_failed`: ours: no ports or descriptors left, the name server or the proxy out of reach
 */
export type SendError =
  | 'url_refused'
  | 'address_refused'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'connection_reset'
  | 'invalid_answer'
  | 'timeout'
  | 'proxy_refused'
  | 'sender_failed';

/**
 * How one attempt went. `status` and `error` are both set where an answer began and did not end: such a response is
 * incomplete (RFC 9112 8).
 */
export interface SendResult extends AttemptResult {
  readonly error: SendError | null;
  /** How long the receiver asks to be left alone, from now, ms; at most a day. `null`: it did not say. */
  readonly retryAfterMs: number | null;
  /** The cause of `sender_failed`, for the host alone. Absent where this process is closing. */
  readonly fault?: unknown;
}
