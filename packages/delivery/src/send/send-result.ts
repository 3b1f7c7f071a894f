import type { AttemptResult } from '@latchhook/core/storage';

/**
 * Why an attempt has no complete response. Every error but `sender_failed` counts as a failure of the receiver.
 *
 * - `url_rejected`: the rules for URLs do not allow it, such as plain http
 * - `address_rejected`: the host is, or resolves to, an address that is not global unicast
 * - `dns_failed`: the host has no address
 * - `connection_refused`, `connection_failed`: no connection could be opened
 * - `tls_failed`: the handshake failed, or the certificate is not valid for the host
 * - `connection_reset`: the connection was closed before the response was complete
 * - `invalid_answer`: the response is not HTTP, or exceeds a limit
 * - `timeout`: the attempt reached its deadline, in any phase
 * - `proxy_rejected`: the host's proxy did not connect to the receiver
 * - `sender_failed`: a failure on our side: no ports or descriptors left, the name server or the proxy unreachable
 */
export type SendError =
  | 'url_rejected'
  | 'address_rejected'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'connection_reset'
  | 'invalid_answer'
  | 'timeout'
  | 'proxy_rejected'
  | 'sender_failed';

/**
 * The result of one attempt. `status` and `error` are both set where a response began but did not end: it is incomplete
 * (RFC 9112 8).
 */
export interface SendResult extends AttemptResult {
  readonly error: SendError | null;
  /** `Retry-After` from now, ms, at most a day. `null`: the response has none. */
  readonly retryAfterMs: number | null;
  /** The cause of `sender_failed`, reported to the host only. Absent where this process is closing. */
  readonly fault?: unknown;
}
