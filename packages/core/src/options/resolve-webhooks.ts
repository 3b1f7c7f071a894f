import { DAY_MS } from '../day.ts';
import { ConfigError } from '../errors.ts';
import { LEASE_SLACK_MS, LONGEST_ATTEMPT_MS } from '../storage/delivery-timing.ts';
import type { Storage, WebhookStores } from '../storage/storage.ts';
import type { DeliveryPolicy } from '../webhooks/deliveries/delivery-policy.ts';
import type { StartDeliveryWorker } from '../webhooks/deliveries/delivery-worker.ts';
import type { EventType } from '../webhooks/events/event-types.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import { boundedOptions } from './bounded-options.ts';
import { resolveEvents } from './resolve-events.ts';
import { requireWebhookStores } from './webhook-stores.ts';

/**
 * Enough for all ten tries: the last one comes after 91 hours at the latest. A receiver that asks for delays by
 * `Retry-After` can stretch this to eleven days; a delivery that expires sooner does not get all of its tries.
 */
const MIN_RETENTION_DAYS = 4;

/** How long an idempotency key is kept. */
const IDEMPOTENCY_MS = DAY_MS;
/** How long an old secret signs along with its successor. */
const SECRET_OVERLAP_MS = DAY_MS;

/**
 * The slack is for completing the attempt in the store. If a process dies, its attempts are retried after the lease.
 */
const LEASE_MS = LONGEST_ATTEMPT_MS + LEASE_SLACK_MS;
/** If so many processes have died while they sent one delivery, the delivery is the cause. */
const MAX_STALLED_ATTEMPTS = 5;

/** The usual ports of receivers. */
const HTTPS_PORTS = [443, 8443];
const HTTP_PORTS = [80, 8080];

/** The option group `webhooks` with every default filled in, and the other parts that webhooks need. */
export interface ResolvedWebhooks {
  readonly startWorker: StartDeliveryWorker | false;
  readonly policy: DeliveryPolicy;
  /** By name. */
  readonly eventTypes: ReadonlyMap<string, EventType>;
  readonly stores: WebhookStores;
}

/** @throws {ConfigError} for any mistake in `webhooks` and the storage of webhooks */
export function resolveWebhooks(webhooks: WebhookOptions, storage: Storage): ResolvedWebhooks {
  const { worker, events } = webhooks;
  assertWorker(worker);
  return {
    startWorker: worker,
    policy: resolveDeliveryPolicy(webhooks),
    eventTypes: resolveEvents(events),
    stores: requireWebhookStores(storage),
  };
}

/** @throws {ConfigError} `webhooks_invalid`, `option_out_of_bounds` */
export function resolveDeliveryPolicy(webhooks: Omit<WebhookOptions, 'worker'>): DeliveryPolicy {
  const bounded = boundedOptions('webhooks', webhooks);
  const allowHttp = resolveFlag('allowHttp', webhooks.allowHttp);
  const allowPrivateAddresses = resolveFlag(
    'allowPrivateAddresses',
    webhooks.allowPrivateAddresses,
  );

  return {
    maxWebhooksPerAccount: bounded('maxPerAccount', 100, [1, 10_000]),
    retentionMs: DAY_MS * bounded('retentionDays', 30, [MIN_RETENTION_DAYS, 365]),
    idempotencyMs: IDEMPOTENCY_MS,
    maxQueuedPerWebhook: bounded('maxQueuedPerWebhook', 100_000, [1, 10_000_000]),
    maxInFlightPerWebhook: bounded('maxInFlightPerWebhook', 10, [1, 1_000]),
    maxInFlightPerAccount: bounded('maxInFlightPerAccount', 100, [1, 100_000]),
    disableAfterMs: DAY_MS * bounded('disableAfterDays', 5, [1, 365]),
    secretOverlapMs: SECRET_OVERLAP_MS,
    leaseMs: LEASE_MS,
    maxStalledAttempts: MAX_STALLED_ATTEMPTS,
    allowHttp,
    allowPrivateAddresses,
    allowedPorts: resolvePorts(webhooks.allowedPorts, { allowHttp, allowPrivateAddresses }),
  };
}

function resolvePorts(
  ports: unknown,
  { allowHttp, allowPrivateAddresses }: Pick<DeliveryPolicy, 'allowHttp' | 'allowPrivateAddresses'>,
): DeliveryPolicy['allowedPorts'] {
  if (ports === undefined) {
    if (allowPrivateAddresses) return 'any';
    return allowHttp ? [...HTTPS_PORTS, ...HTTP_PORTS] : HTTPS_PORTS;
  }
  if (ports === 'any') return ports;
  if (Array.isArray(ports) && ports.length > 0 && ports.every(isPort)) return [...ports];
  throw invalid("allowedPorts must be 'any' or numbers of ports, 1 to 65535");
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

/** The text `'false'`, the value of an environment variable, must not turn an option on. */
function resolveFlag(name: 'allowHttp' | 'allowPrivateAddresses', value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw invalid(`${name} must be true or false`);
}

/** @throws {ConfigError} `webhooks_invalid` */
function assertWorker(worker: unknown): void {
  if (worker === false || typeof worker === 'function') return;
  throw invalid(
    'worker must be inProcessWorker() of @latchhook/delivery, or false where other processes send',
  );
}

function invalid(rule: string): ConfigError {
  return new ConfigError('webhooks_invalid', `webhooks.${rule}`);
}
