import { systemTimers, type Timers, type WebhookUrlRules } from '@latchhook/core/delivery';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { type ConnectorOptions, guardedConnector } from './guarded-connector.ts';
import { PoolTransport } from './pool-transport.ts';
import type { SendError, SendResult } from './send-result.ts';
import type { Sender, SendOutcome } from './sender.ts';
import { targetReader } from './target.ts';
import { TimeSlices } from './time-slices.ts';
import { dispatcherTransport } from './transport.ts';

/** How attempts are sent. */
export interface SenderOptions extends WebhookUrlRules, ConnectorOptions {
  /**
   * Opens the connections instead of the sender, such as undici's `ProxyAgent`. The host closes it.
   *
   * Security: the dispatcher, or its proxy, then resolves names, and has to block private networks.
   */
  readonly dispatcher?: Dispatcher;
  /** From the start of connecting to the end of the response, ms. */
  readonly timeoutMs: number;
  /** The timers that measure `timeoutMs`. Default: those of Node.js. */
  readonly timers?: Timers;
}

/** Sends signed requests over HTTP/1.1, to public addresses only unless the options allow others. */
export function createSender(options: SenderOptions): Sender {
  const { dispatcher, timeoutMs, timers = systemTimers } = options;
  const slices = new TimeSlices();
  const transport =
    dispatcher === undefined
      ? new PoolTransport(guardedConnector(options), () => inFlight)
      : dispatcherTransport(dispatcher);
  const readTarget = targetReader(options);
  let inFlight = 0;
  let closing: Promise<void> | undefined;
  let onIdle = (): void => {};

  return {
    send: (request) =>
      new Promise((resolve) => {
        if (closing !== undefined) return resolve(failure('sender_failed'));
        inFlight += 1;
        const end = (outcome: SendOutcome): void => {
          inFlight -= 1;
          if (inFlight === 0) onIdle();
          resolve(outcome);
        };
        slices.run(() => {
          const target = readTarget(request.url);
          if (typeof target === 'string') return end(failure(target));
          new Attempt(request, target, { transport, timeoutMs, timers, onEnd: end }).begin();
        });
      }),
    close() {
      closing ??= new Promise<void>((resolve) => {
        onIdle = resolve;
        if (inFlight === 0) resolve();
      }).then(() => transport.close());
      return closing;
    },
  };
}

function failure(error: SendError): SendResult {
  return { status: null, durationMs: 0, error, retryAfterMs: null };
}
