import { isIPv6 } from 'node:net';
import { portOf } from '@latchhook/core/delivery';
import { SendFault } from './send-fault.ts';
import type { SendError } from './send-result.ts';

const CODES: readonly (readonly [SendError, RegExp])[] = [
  ['connection_refused', /^ECONNREFUSED$/],
  ['connection_reset', /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/],
  ['timeout', /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/],
  // The only assertion of undici that a response can fail is about a status below 100.
  ['invalid_answer', /^(?:UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION)$/],
  ['dns_failed', /^(?:ENOTFOUND|EAI_(?:AGAIN|FAIL|NODATA))$/],
  ['sender_failed', /^(?:EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/],
  ['sender_failed', /^UND_ERR_(?:CLOSED|DESTROYED|INVALID_ARG|PRX_TLS)$/],
  // OpenSSL's codes for a rejected certificate, and failures of the TLS protocol.
  ['tls_failed', /CERT|^ERR_(?:SSL|TLS)_|^(?:EPROTO|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/],
  ['tls_failed', /^INVALID_(?:CA|PURPOSE)$/],
];

/** The message of undici's ProxyAgent where the proxy did not connect. */
const PROXY_RESPONSE = /^Proxy response \((\d{3})\)/;

/** Maps an error of undici to a code. None of the error's own text is passed on. */
export function toSendError(error: unknown, target: URL): SendError {
  if (isInvalidAnswer(error)) return 'invalid_answer';
  if (error instanceof SendFault) return error.sendError;
  if (!(error instanceof Error)) return 'connection_failed';
  if (isElsewhere(error, target)) return 'sender_failed';
  const proxyStatus = PROXY_RESPONSE.exec(error.message)?.[1];
  // 407 concerns our credentials; every other status concerns this receiver.
  if (proxyStatus !== undefined) return proxyStatus === '407' ? 'sender_failed' : 'proxy_rejected';
  const sendError = byCode(error) ?? 'connection_failed';
  const isOurs = sendError === 'sender_failed';
  return isOurs && isAboutIpv6(error) ? 'connection_failed' : sendError;
}

/** Whether a receiver has sent an invalid response. */
export function isInvalidAnswer(error: unknown): boolean {
  if (error instanceof SendFault) return error.sendError === 'invalid_answer';
  if (!(error instanceof Error)) return false;
  // For an unexpected 101 or 100, undici uses the error code of a closed connection.
  const isBad = 'code' in error && error.code === 'UND_ERR_SOCKET' && /^bad /.test(error.message);
  return isBad || error.name === 'HTTPParserError' || byCode(error) === 'invalid_answer';
}

function byCode(error: Error): SendError | undefined {
  const code = 'code' in error ? String(error.code) : '';
  return CODES.find(([, pattern]) => pattern.test(code))?.[0];
}

/** Whether the host or port that could not be reached differs from that of the URL: then it is a proxy that is down. */
function isElsewhere(error: Error, target: URL): boolean {
  if ('syscall' in error && error.syscall === 'connect' && 'port' in error) {
    return error.port !== portOf(target);
  }
  return 'hostname' in error && error.hostname !== target.hostname;
}

/**
 * Whether the receiver has IPv6 addresses only. On a machine without IPv6, connecting to them fails with the code that
 * also means that no ports are left. A lack of ports passes, but a lack of IPv6 does not: as a failure on our side, the
 * delivery would be retried every ten minutes for the whole retention.
 */
function isAboutIpv6(error: Error): boolean {
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return causes.every((cause) => {
    if (!(cause instanceof Error && 'code' in cause && 'address' in cause)) return false;
    return cause.code === 'EADDRNOTAVAIL' && isIPv6(String(cause.address));
  });
}
