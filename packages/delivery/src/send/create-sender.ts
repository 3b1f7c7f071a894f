import type { Dispatcher } from 'undici';
import { attempt, type Message } from './attempt.ts';
import { createConnections, dispatcherConnections } from './connections.ts';
import type { ExchangeEnd } from './exchange.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { SendError, SendResult } from './send-result.ts';
import type { Sender, SendRequest } from './sender.ts';
import { sign } from './sign.ts';
import { type Target, type TargetRules, targetReader } from './target.ts';
import { toSendError } from './to-send-error.ts';
import { USER_AGENT } from './user-agent.ts';

/** How attempts are made. */
export interface SenderOptions extends TargetRules {
  /**
   * What connects in our place, such as undici's `ProxyAgent`. Not closed by us.
   *
   * *Security:* names are then resolved by it, or by the proxy behind it, and to keep private networks out is
   * up to them.
   */
  readonly dispatcher?: Dispatcher;
  /** From the first step of connecting to the end of the answer, ms. Default 15,000. */
  readonly timeoutMs?: number;
}

/** Sends over HTTP/1.1, signed, and to public addresses only unless the options say otherwise. */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs = 15_000, allowPrivateAddresses, dispatcher } = options;
  const connections = dispatcher
    ? dispatcherConnections(dispatcher)
    : createConnections(guardedConnector({ allowPrivateAddresses, timeoutMs }));
  const readTarget = targetReader(options);
  let closing: Promise<void> | undefined;

  return {
    async send(request) {
      if (closing !== undefined) return failed('sender_failed');
      const target = readTarget(request.url);
      if (typeof target === 'string') return failed(target);
      const startedAtMs = performance.now();
      const end = await attempt(connections, toMessage(target, request), timeoutMs);
      return toResult(end, target.url, performance.now() - startedAtMs);
    },
    close() {
      closing ??= connections.close();
      return closing;
    },
  };
}

function toMessage(
  target: Target,
  { deliveryId, body, secrets, timestampMs }: SendRequest,
): Message {
  const timestampSeconds = Math.floor(timestampMs / 1000);
  return {
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
      sign(secrets, deliveryId, timestampSeconds, body),
    ],
    body,
  };
}

function toResult(end: ExchangeEnd, url: URL, durationMs: number): SendResult {
  return {
    status: end.status,
    durationMs: Math.round(durationMs),
    error: end.error === null ? null : toSendError(end.error, url),
    response: end.response,
    retryAfterMs: end.retryAfterMs,
  };
}

function failed(error: SendError): SendResult {
  return { status: null, durationMs: 0, error, response: null, retryAfterMs: null };
}
