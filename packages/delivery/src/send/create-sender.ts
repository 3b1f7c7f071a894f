import { systemTimers, type Timers, type WebhookUrlRules } from '@latchhook/core/delivery';
import type { Dispatcher } from 'undici';
import { createConnections, dispatcherConnections } from './connections.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { SendError, SendResult } from './send-result.ts';
import { sendSigned } from './send-signed.ts';
import type { Sender, SendRequest } from './sender.ts';
import { sign } from './sign.ts';
import type { SignedRequest } from './signed-request.ts';
import { type Target, targetReader } from './target.ts';
import { USER_AGENT } from './user-agent.ts';

/** How attempts are made. */
export interface SenderOptions extends WebhookUrlRules {
  /**
   * What connects in our place, such as undici's `ProxyAgent`. Not closed by us.
   *
   * Security: it, or the proxy behind it, then resolves names, and has to keep private networks out.
   */
  readonly dispatcher?: Dispatcher;
  /** From the first step of connecting to the end of the answer, ms. */
  readonly timeoutMs: number;
  /** What `timeoutMs` is waited for by once it sends; connecting takes real time. Default: Node's own. */
  readonly timers?: Timers;
}

/** Sends over HTTP/1.1, signed, and to public addresses only unless the options say otherwise. */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, timers = systemTimers, allowPrivateAddresses, dispatcher } = options;
  const connections = dispatcher
    ? dispatcherConnections(dispatcher)
    : createConnections(guardedConnector({ allowPrivateAddresses, timeoutMs }));
  const readTarget = targetReader(options);
  let closing: Promise<void> | undefined;

  return {
    send(request) {
      if (closing !== undefined) return failed('sender_failed');
      const target = readTarget(request.url);
      if (typeof target === 'string') return failed(target);
      const { mayBegin, timestampMs } = request;
      const times = { mayBegin, timestampMs, timeoutMs, timers };
      return sendSigned(connections, toSignedRequest(target, request), times);
    },
    close() {
      closing ??= connections.close();
      return closing;
    },
  };
}

function toSignedRequest(
  target: Target,
  { accountId, deliveryId, body, secrets, timestampMs }: SendRequest,
): SignedRequest {
  const timestampSeconds = Math.floor(timestampMs / 1000);
  const { signatures, bytes } = sign(secrets, deliveryId, timestampSeconds, body);
  return {
    accountId,
    target,
    headers: [
      'content-type',
      'application/json',
      'user-agent',
      USER_AGENT,
      'webhook-id',
      deliveryId,
      'webhook-timestamp',
      String(timestampSeconds),
      'webhook-signature',
      signatures,
    ],
    body,
    bytes,
  };
}

function failed(error: SendError): Promise<SendResult> {
  const result = { status: null, durationMs: 0, error, response: null, retryAfterMs: null };
  return Promise.resolve(result);
}
