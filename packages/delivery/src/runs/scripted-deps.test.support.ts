import { type Awaitable, memoryStorage, type SecurityEvent, systemClock } from '@latchhook/core';
import { type DeliveryContext, systemTimers } from '@latchhook/core/delivery';
import {
  type DeliveryRecord,
  type DeliveryStore,
  type FinishOutcome,
  type FinishRequest,
  mapMethods,
  type ScheduledDelivery,
  STORE_METHODS,
  type StartOutcome,
  type StartRequest,
} from '@latchhook/core/storage';
import type { SendResult } from '../send/send-result.ts';
import type { SendOutcome, SendRequest } from '../send/sender.ts';
import { AccountSlots } from './account-slots.ts';
import { AdmissionDelay } from './admission-delay.ts';
import type { RunDeps } from './run-delivery.ts';
import { StartWindow } from './start-window.ts';

/** What the store and the receiver answer. By default all is delivered at the first try. */
export interface Script {
  start?(request: StartRequest): Awaitable<StartOutcome>;
  finish?(request: FinishRequest): Awaitable<FinishOutcome>;
  send?(request: SendRequest): Awaitable<SendOutcome>;
  ready?(): Promise<void>;
  overdue?(): Awaitable<ScheduledDelivery[]>;
  find?(): Promise<DeliveryRecord>;
  openSecrets?(): Uint8Array[];
  readonly leaseMs?: number;
  readonly slots?: number;
}

export interface ScriptedDeps extends RunDeps {
  readonly events: SecurityEvent[];
  /** Calls by name, in order. */
  readonly calls: string[];
  readonly finishes: FinishRequest[];
}

export const answered = (status: number): SendResult => ({
  status,
  durationMs: 3,
  error: null,
  response: '',
  retryAfterMs: null,
});

/** A receiver that answers 200 to each attempt when it is told to. */
export function heldReceiver(): {
  readonly send: () => Promise<SendResult>;
  readonly ends: (() => void)[];
} {
  const ends: (() => void)[] = [];
  const send = () =>
    new Promise<SendResult>((resolve) => {
      ends.push(() => resolve(answered(200)));
    });
  return { send, ends };
}

/** A receiver that never answers. */
export const hangs = (): Promise<never> => new Promise(() => {});

export const started = (triesBefore = 0): StartOutcome => ({
  outcome: 'started',
  attempt: triesBefore + 1,
  triesBefore,
  startedAtMs: Date.now(),
  body: '{}',
  webhook: { url: 'https://example.com', secrets: [] },
  next: null,
});

export const scheduled = (deliveryId: string, delayMs = 0, run = 1): ScheduledDelivery => ({
  accountId: 1,
  webhookId: 'wh_1',
  deliveryId,
  run,
  delayMs,
});

/** A run with a store and a sender that do as told, in real time unless vitest has faked it. */
export function scriptedDeps(script: Script = {}): ScriptedDeps {
  const events: SecurityEvent[] = [];
  const calls: string[] = [];
  const finishes: FinishRequest[] = [];
  const unasked = () => Promise.reject(new Error('no run asks for this'));
  const deliveries: DeliveryStore = {
    ...mapMethods(memoryStorage().deliveries, STORE_METHODS.deliveries, unasked),
    start(request) {
      calls.push(`start ${request.deliveryId}`);
      return script.start?.(request) ?? started();
    },
    async finish(request) {
      calls.push(`finish ${request.deliveryId}`);
      finishes.push(request);
      const given = await script.finish?.(request);
      if (given !== undefined) return given;
      const states = { delivered: 'delivered', dead: 'dead', retry: 'waiting', excused: 'waiting' };
      const state = states[request.verdict.kind] as 'delivered' | 'dead' | 'waiting';
      return { outcome: 'finished', state, disabled: null, next: null };
    },
    overdue: async () => {
      calls.push('overdue');
      return script.overdue?.() ?? [];
    },
    unreleased: async () => [],
    find: async ({ deliveryId }) => {
      calls.push(`find ${deliveryId}`);
      return script.find?.() ?? null;
    },
  };
  const context: DeliveryContext = {
    deliveries,
    openSecrets: () => script.openSecrets?.() ?? [],
    policy: {
      maxWebhooksPerAccount: 100,
      retentionMs: 30 * 86_400_000,
      idempotencyMs: 86_400_000,
      maxQueuedPerWebhook: 100_000,
      maxInFlightPerWebhook: 10,
      disableAfterMs: 5 * 86_400_000,
      secretOverlapMs: 86_400_000,
      leaseMs: script.leaseMs ?? 20_000,
      maxLostAttempts: 5,
      rateMarginMs: 25,
      allowHttp: true,
      allowPrivateAddresses: true,
      allowedPorts: 'any',
    },
    clock: systemClock,
    emit: (event) => void events.push(event),
  };
  return {
    context,
    sender: {
      ready: () => script.ready?.() ?? null,
      async send(request) {
        calls.push(`send ${request.deliveryId}`);
        return script.send === undefined ? answered(200) : script.send(request);
      },
      close: async () => void calls.push('close sender'),
    },
    timers: systemTimers,
    random: () => 0.5,
    report: (error) => context.emit({ type: 'fault', where: 'delivery', error }),
    slots: new AccountSlots(script.slots ?? 100),
    startWindow: new StartWindow(),
    admissionDelay: new AdmissionDelay(context.policy.rateMarginMs),
    isTimeOfDayOurs: false,
    startNext: (delivery) => void calls.push(`next ${delivery.deliveryId}`),
    events,
    calls,
    finishes,
  };
}
