import { isIPv6 } from 'node:net';
import { portOf } from '@latchhook/core/delivery';
import { SendFault } from './send-fault.ts';
import type { SendError } from './send-result.ts';

const BY_CODE: Readonly<Record<string, SendError>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_answer',
  // Of undici, about a status below 100.
  ERR_ASSERTION: 'invalid_answer',
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  EAI_FAIL: 'dns_failed',
  EAI_NODATA: 'dns_failed',
  EADDRNOTAVAIL: 'sender_failed',
  EMFILE: 'sender_failed',
  ENFILE: 'sender_failed',
  ENOBUFS: 'sender_failed',
  ENOMEM: 'sender_failed',
  UND_ERR_CLOSED: 'sender_failed',
  UND_ERR_DESTROYED: 'sender_failed',
  UND_ERR_INVALID_ARG: 'sender_failed',
  UND_ERR_PRX_TLS: 'sender_failed',
};

/** OpenSSL's reasons to refuse a certificate, and failures of the TLS protocol. */
const TLS_CODE =
  /CERT|^ERR_(?:SSL|TLS)_|^(?:EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;

/** How undici's ProxyAgent says that the proxy would not connect. */
const PROXY_ANSWER = /^Proxy response \((\d{3})\)/;

/** Names what undici failed with. None of the error's own text is passed on. */
export function toSendError(error: unknown, target: URL): SendError {
  if (error instanceof SendFault) return error.sendError;
  if (!(error instanceof Error)) return 'connection_failed';
  if (isElsewhere(error, target)) return 'sender_failed';
  const proxyStatus = PROXY_ANSWER.exec(error.message)?.[1];
  // 407 is about our credentials; everything else is about this one receiver.
  if (proxyStatus !== undefined) return proxyStatus === '407' ? 'sender_failed' : 'proxy_refused';

  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.name === 'HTTPParserError') return 'invalid_answer';
  // For a 101 or 100 that nobody asked for, undici uses the code of a connection that ended.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return 'invalid_answer';
  if (TLS_CODE.test(code)) return 'tls_failed';
  if (code === 'EADDRNOTAVAIL' && isAboutIpv6(error)) return 'connection_failed';
  return BY_CODE[code] ?? 'connection_failed';
}

/**
 * Whether the host or port that could not be reached is not that of the URL: then there is a proxy, and the proxy is
 * down.
 */
function isElsewhere(error: Error, target: URL): boolean {
  if ('syscall' in error && error.syscall === 'connect' && 'port' in error) {
    return error.port !== portOf(target);
  }
  return 'hostname' in error && error.hostname !== target.hostname;
}

/**
 * Whether the receiver has IPv6 addresses alone. Where this machine has no IPv6, connecting to them fails with the code
 * of a machine that has run out of ports. But that will not get better by itself: as a fault of ours the delivery would
 * be tried every ten minutes for as long as it is kept.
 */
function isAboutIpv6(error: Error): boolean {
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return causes.every((cause) => {
    const address = cause instanceof Error && 'address' in cause ? cause.address : undefined;
    return typeof address === 'string' && isIPv6(address);
  });
}
