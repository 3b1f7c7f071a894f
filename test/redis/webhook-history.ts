import type { Verdict } from '@latchhook/core/storage';
import fc from 'fast-check';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import type { openWebhookStores } from './open-webhook-stores.ts';

const STEPS = 100;
const HOUR_MS = 3_600_000;
/** Short enough that histories outlive it now and then, and longer than a key lingers. */
const RETENTION_MS = 2 * HOUR_MS;

const PENDING = new Set(['queued', 'sending', 'waiting']);

const VERDICTS: readonly Verdict[] = [
  DELIVERED,
  ...[retryAfter(0), retryAfter(0), retryAfter(0), retryAfter(700)],
  { kind: 'excused', delayMs: 0 },
  { kind: 'dead', reason: 'exhausted' },
  { kind: 'dead', reason: 'gone' },
];

/** What happens to a webhook and its deliveries, at random. */
export const steps = fc.array(
  fc.record({
    what: fc.constantFrom(
      ...(['publish', 'publish', 'publish', 'publish again', 'finish', 'finish'] as const),
      ...(['start', 'start', 'start', 'start', 'start', 'start', 'pause', 'long pause'] as const),
      ...(['start instead', 'start instead', 'start instead'] as const),
      ...(['resend', 'recover', 'enable', 'reschedule', 'change'] as const),
      ...(['overdue', 'overdue', 'count', 'list'] as const),
    ),
    nth: fc.nat({ max: 11 }),
    verdict: fc.constantFrom(...VERDICTS),
  }),
  { minLength: STEPS, maxLength: STEPS },
);
type Step = typeof steps extends fc.Arbitrary<(infer Value)[]> ? Value : never;

type Stores = Awaited<ReturnType<typeof openWebhookStores>>;

/** A webhook to which steps happen, and what Redis then has of it. */
export async function openHistory(
  { webhooks, deliveries, redis, keyPrefix, clock }: Stores,
  webhookId: string,
) {
  const webhook = newWebhook(webhookId, { rateLimit: 50 });
  await webhooks.create(webhook, LIMITS);
  const root = `${keyPrefix}:{webhooks}`;
  const name = `${webhook.accountId}/${webhookId}`;
  const keyOf = (kind: string) => `${root}:${kind}:${name}`;
  const idsIn = (kind: string) => redis.zrange(keyOf(kind), '0', '-1');
  const stateOf = (id: string) => redis.hget(`${keyOf('delivery')}/${id}`, 'state');
  let published = 0;

  /** Attempts in flight: first those that were returned as overdue, then all others. */
  async function idsInFlight(): Promise<readonly string[]> {
    const due = await idsIn('due');
    const states = await Promise.all(due.map(stateOf));
    const overdue = due.filter((_, nth) => states[nth] === 'sending');
    return [...overdue, ...(await idsIn('inFlight'))];
  }

  /** Picks a delivery that suits the step, mostly. */
  async function pick({ what, nth }: Step): Promise<string> {
    const before = `${webhookId}-${published - nth}`;
    switch (what) {
      case 'publish':
        published += 1;
        return `${webhookId}-${published}`;
      case 'start':
        return (await idsIn('due'))[nth % 4] ?? before;
      case 'finish':
      case 'start instead':
        return (await idsInFlight())[nth % 2] ?? before;
      default:
        return before;
    }
  }

  return {
    async take(step: Step): Promise<void> {
      const { what, nth, verdict } = step;
      const limit = 1 + nth;
      const id = await pick(step);
      const ref = deliveryTo(webhookId, id);
      const names = ['run', 'attempt', 'startedAtMs'];
      const fields = await redis.hmget(`${keyOf('delivery')}/${id}`, ...names);
      const [run = 0, attempt = 0, startedAtMs = 0] = fields.map(Number);
      switch (what) {
        case 'publish':
        case 'publish again': {
          const bounds = { webhookId, retentionMs: RETENTION_MS, maxQueued: 5 };
          await deliveries.publish(newMessage(id, bounds));
          return;
        }
        case 'start':
        case 'start instead': {
          const bounds = { maxInFlight: 1 + (nth % 2), leaseMs: 5000, maxLostAttempts: 3 };
          const withdrawnStartAtMs = what === 'start instead' ? startedAtMs : null;
          await deliveries.start(starting(ref, { run, ...bounds, withdrawnStartAtMs }));
          return;
        }
        case 'finish':
          await deliveries.finish(finishing(ref, attempt, verdict, { maxInFlight: 2 }));
          return;
        case 'resend':
          await deliveries.resend(ref);
          return;
        case 'recover':
          await deliveries.recover(webhook, { sinceMs: 0, limit });
          return;
        case 'enable':
          await webhooks.enable(webhook);
          await deliveries.release(webhook, { limit });
          return;
        case 'reschedule':
          await deliveries.reschedule(webhook, {
            rateMarginMs: 0,
            maxInFlight: 2,
            leaseMs: 1_000,
            limit,
            after: null,
          });
          return;
        case 'change':
          await webhooks.change(webhook, { rateLimit: nth % 2 === 0 ? limit : 50 });
          return;
        case 'pause':
          clock.advance(nth * nth * 100);
          return;
        case 'long pause':
          if (nth > 5) clock.advance(RETENTION_MS);
          return;
        case 'overdue':
          await deliveries.overdue({ graceMs: 0, limit, putOffMs: 0 });
          return;
        case 'count':
          await deliveries.countPending();
          return;
        case 'list':
          await deliveries.list(webhook, { limit, after: null });
      }
    },

    /** What the hash says of other keys, and what these say. */
    async look() {
      const [hash, active, firsts, ends, lines] = await Promise.all([
        redis.hgetall(keyOf('webhook')),
        redis.zscore(`${root}:active`, name),
        Promise.all(
          ['due', 'inFlight'].map((kind) => redis.zrange(keyOf(kind), '0', '0', 'WITHSCORES')),
        ),
        Promise.all(['log', 'starts'].map((kind) => redis.pttl(keyOf(kind)))),
        Promise.all(['log', 'queued', 'retries', 'parked', 'parkedRetries'].map(idsIn)),
      ]);
      const [log = [], queued = [], retries = [], parked = [], parkedRetries = []] = lines;
      const [logLeftMs = 0, startsLeftMs = 0] = ends;
      const newestKey = `${keyOf('delivery')}/${log.at(-1)}`;
      const expiresAtMs = Number(await redis.hget(newestKey, 'expiresAtMs'));
      return {
        ...{ hash, queued, retries, parked, parkedRetries, logLeftMs, startsLeftMs },
        activeMs: active === null ? Number.POSITIVE_INFINITY : Number(active),
        duesMs: firsts.flatMap(([, scoreMs]) => scoreMs ?? []).map(Number),
        newestLeftMs: expiresAtMs - clock.nowMs(),
      };
    },

    /** The pending deliveries by state: by the log, and by the sets in which they are looked up. */
    async toCome() {
      const [log = [], due = [], inFlight = []] = await Promise.all(
        ['log', 'due', 'inFlight'].map(idsIn),
      );
      const lookedUp = [...due, ...inFlight];
      const states = new Map<string, string | null>();
      for (const id of [...log, ...lookedUp]) states.set(id, await stateOf(id));
      const pending = log.filter((id) => PENDING.has(states.get(id) ?? ''));
      return {
        ...{ pending: pending.toSorted(), lookedUp: lookedUp.toSorted() },
        inFlightStates: inFlight.map((id) => states.get(id)),
        overdueInFlight: due.filter((id) => states.get(id) === 'sending').length,
      };
    },

    /** The deliveries that some set still has though they were delivered or forgotten. */
    async remains() {
      const kinds = ['queued', 'parked', 'retries', 'parkedRetries', 'held', 'due', 'inFlight'];
      const [log, dead, ...lines] = await Promise.all(['log', 'dead', ...kinds].map(idsIn));
      const states = await Promise.all(
        (log ?? []).map((id) => redis.hget(`${keyOf('delivery')}/${id}`, 'state')),
      );
      const known = new Set(log?.filter((_, nth) => states[nth] !== 'delivered'));
      // The id follows the sequence.
      const deadIds = dead?.map((member) => member.slice(16)) ?? [];
      return [...lines.flat(), ...deadIds].filter((id) => !known.has(id));
    },
  };
}
