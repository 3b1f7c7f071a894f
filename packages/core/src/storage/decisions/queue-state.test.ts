import { describe, expect, it } from 'vitest';
import type { WebhookRecord } from '../webhook-store.ts';
import {
  NEW_QUEUE,
  type QueueState,
  queueAfterAttempt,
  queueAfterSetBack,
  queueDueBy,
  queueWithNextStart,
  startsAllowed,
} from './queue-state.ts';

const NOW_MS = 50_000;
const SECOND_MS = 1_000;
const webhook: WebhookRecord = {
  accountId: 1,
  webhookId: 'wh_1',
  sequence: 1,
  event: 'A.B',
  url: 'https://a.example/',
  rateLimit: 5,
  rateLimitPeriod: 'second',
  secrets: [],
  createdAtMs: 0,
  updatedAtMs: 0,
  disabledAtMs: null,
  disabledReason: null,
};
const disabled: WebhookRecord = { ...webhook, disabledAtMs: 1, disabledReason: 'gone' };
const limits = { capacity: 100, maxInFlightPerWebhook: 3 };
const STARTED_BY_MS = NOW_MS - 100;
/** Five attempts, as many as the rate limit allows in a second, began by `STARTED_BY_MS`. */
const atRateLimit = { starts: [[STARTED_BY_MS, 5]] } as const;

describe('a queue', () => {
  it.each<[string, Partial<QueueState>, WebhookRecord, number]>([
    ['attempts up to maxInFlightPerWebhook', {}, webhook, 3],
    ['fewer attempts if some are in flight', { inFlight: 2 }, webhook, 1],
    ['attempts up to its rate limit', { starts: [[NOW_MS, 4]] }, webhook, 1],
    ['no attempt at its rate limit', atRateLimit, webhook, 0],
    ['no attempt during its backoff', { backoffUntilMs: NOW_MS + 1 }, webhook, 0],
    ['no attempt of a disabled webhook', {}, disabled, 0],
  ])('may start %s', (_attempts, change, record, allowed) => {
    expect(startsAllowed({ ...NEW_QUEUE, ...change }, record, limits, NOW_MS)).toBe(allowed);
  });

  const waiting = { hasHead: true, nextRetryAtMs: 70_000, sinceMs: 40_000 };
  it.each<[string, Partial<QueueState>, Partial<typeof waiting>, WebhookRecord, number | null]>([
    ['when its head became ready', {}, {}, webhook, 40_000],
    ['when its next retry is due', {}, { hasHead: false }, webhook, 70_000],
    ['when its backoff ends', { backoffUntilMs: 60_000, ...atRateLimit }, {}, webhook, 60_000],
    [
      'when its oldest starts leave the rate window',
      atRateLimit,
      {},
      webhook,
      STARTED_BY_MS + SECOND_MS,
    ],
    [
      'at no known time while maxInFlightPerWebhook attempts are in flight',
      { inFlight: 3 },
      {},
      webhook,
      null,
    ],
    ['at no time if its webhook is disabled', {}, {}, disabled, null],
  ])('is due %s', (_when, change, waitingChange, record, dueAtMs) => {
    const queue = queueWithNextStart(
      { ...NEW_QUEUE, ...change },
      record,
      { ...waiting, ...waitingChange },
      limits,
      NOW_MS,
    );
    expect(queue.dueAtMs).toBe(dueAtMs);
  });

  it('becomes due at maxInFlightPerWebhook only when an attempt ends', () => {
    const capped = queueWithNextStart(
      { ...NEW_QUEUE, inFlight: 3 },
      webhook,
      waiting,
      limits,
      NOW_MS,
    );
    expect(queueDueBy(capped, webhook, NOW_MS)).toBe(capped);
    expect(queueAfterAttempt(capped, webhook, NOW_MS + 1)).toMatchObject({
      inFlight: 2,
      dueAtMs: NOW_MS + 1,
      isCapped: false,
    });
  });

  it('keeps the remaining times of its backoff and rate window if the clock is set back', () => {
    const queue = { ...NEW_QUEUE, ...atRateLimit, backoffUntilMs: NOW_MS + 500, dueAtMs: NOW_MS };
    const byMs = 20_000;
    const adjusted = queueAfterSetBack(queue, byMs, NOW_MS - byMs);
    expect(adjusted).toMatchObject({
      backoffUntilMs: NOW_MS - byMs + 500,
      dueAtMs: NOW_MS - byMs,
      starts: [[STARTED_BY_MS - byMs, 5]],
    });
  });
});
