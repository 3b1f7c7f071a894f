import type { Dispatcher } from 'undici';
import type { Sender } from './sender.ts';

/** How attempts are made. */
export interface SenderOptions {
  /** Whether plain http is sent to. */
  readonly allowHttp: boolean;
  /** Whether addresses are connected to that are not global unicast: loopback, private networks ... */
  readonly allowPrivateAddresses: boolean;
  /**
   * What connects in our place, such as undici's `ProxyAgent`. *Security:* names are then resolved by it or
   * by the proxy behind it, and to keep private networks out is up to them. Not closed by us.
   */
  readonly dispatcher?: Dispatcher;
  /** From the first step of connecting to the end of the answer, ms. Default 15,000. */
  readonly timeoutMs?: number;
}

/** Sends over HTTP/1.1, signed, to nowhere but public addresses. */
export function createSender(_options: SenderOptions): Sender {
  throw new Error('not yet');
}
