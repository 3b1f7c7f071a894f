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
import { webhookStores } from './webhook-stores.ts';

/**
 * The tenth try comes after 91 hours at the latest, except where receivers ask for delay by `Retry-After`, up to eleven
 * days in all. A delivery that expires sooner does not get all of its tries.
 */
const MIN_RETENTION_DAYS = 4;

/** How long an idempotency key is kept, and how long an old secret signs along with its successor. */
const IDEMPOTENCY_MS = DAY_MS;
const SECRET_OVERLAP_MS = DAY_MS;

/** The slack is for completing the attempt in the store. If a process dies, its attempts are retried after a lease. */
const LEASE_MS = LONGEST_ATTEMPT_MS + LEASE_SLACK_MS;
/** If as many processes have died over a delivery, it is what kills them. */
const MAX_STALLED_ATTEMPTS = 5;

/** The usual ports of receivers. */
const HTTPS_PORTS = [443, 8443];
const HTTP_PORTS = [80, 8080];

/** The option group `webhooks` with every default filled in, and what else webhooks need. */
export interface ResolvedWebhooks {
  readonly worker: StartDeliveryWorker | false;
  readonly policy: DeliveryPolicy;
  /** By name. */
  readonly events: ReadonlyMap<string, EventType>;
  readonly stores: WebhookStores;
}

/** @throws {ConfigError} for any mistake in `webhooks` and the storage of webhooks */
export function resolveWebhooks(webhooks: WebhookOptions, storage: Storage): ResolvedWebhooks {
  const { worker, events } = webhooks;
  assertWorker(worker);
  return {
    worker,
    policy: resolveDeliveryPolicy(webhooks),
    events: resolveEvents(events),
    stores: webhookStores(storage),
  };
}

/** @throws {ConfigError} `webhooks_invalid`, `option_out_of_bounds` */
export function resolveDeliveryPolicy(webhooks: Omit<WebhookOptions, 'worker'>): DeliveryPolicy {
  const bounded = boundedOptions('webhooks', webhooks);
  const allowHttp = flag('allowHttp', webhooks.allowHttp);
  const allowPrivateAddresses = flag('allowPrivateAddresses', webhooks.allowPrivateAddresses);

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
  given: unknown,
  { allowHttp, allowPrivateAddresses }: Pick<DeliveryPolicy, 'allowHttp' | 'allowPrivateAddresses'>,
): DeliveryPolicy['allowedPorts'] {
  if (given === undefined) {
    if (allowPrivateAddresses) return 'any';
    return allowHttp ? [...HTTPS_PORTS, ...HTTP_PORTS] : HTTPS_PORTS;
  }
  if (given === 'any') return given;
  if (Array.isArray(given) && given.length > 0 && given.every(isPort)) return [...given];
  throw invalid("allowedPorts must be 'any' or numbers of ports, 1 to 65535");
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

/** The text `'false'`, as an environment variable has it, must not turn on what it says to keep off. */
function flag(name: 'allowHttp' | 'allowPrivateAddresses', value: unknown): boolean {
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

function invalid(what: string): ConfigError {
  return new ConfigError('webhooks_invalid', `webhooks.${what}`);
}
