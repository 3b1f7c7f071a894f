import type { AttemptEnd, AttemptOutcome, SentAttempt } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  enablesOnlyDisabled,
  faultyAttempts,
  faultyClaims,
  faultyCompletionResults,
  faultyDisableAfterMs,
  faultyEnds,
  faultyListEntries,
} from '../../self-test/faulty-deliveries.ts';
import { faultyDeliveries, faultyResults, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { deliveryWebhooks } from './delivery-webhooks.ts';

const ENDLESS_MS = 10 ** 15;
const NEW_URL = 'https://new.example.com/';
/** Changes the ends of attempts at a former URL, but returns `moved` for them as expected. */
const movedAs = (change: (end: SentAttempt) => AttemptEnd) =>
  faultyDeliveries((deliveries) => ({
    async complete(ends, limits) {
      const changed = ends.map((end) => ('result' in end ? change(end) : end));
      const results = await deliveries.complete(changed, limits);
      const isMoved = (end: AttemptEnd | undefined) => end?.outcome.kind !== 'delivered';
      return results.map((result, i) =>
        isMoved(ends[i]) && result.outcome === 'completed' ? { outcome: 'moved' } : result,
      );
    },
  }));

type Kind = AttemptOutcome['kind'];

/** Completes attempts of one kind with another outcome. */
const faultyOutcome = (kind: Kind, outcome: AttemptOutcome) =>
  faultyEnds((end) => ('result' in end && end.outcome.kind === kind ? { ...end, outcome } : end));
const reportsDisabled = faultyCompletionResults((result, end) =>
  result.outcome === 'completed' && end?.outcome.kind === 'failed'
    ? { ...result, disabled: 'gone' }
    : result,
);
const reportsNoneDisabled = faultyCompletionResults((result) =>
  result.outcome === 'completed' ? { ...result, disabled: null } : result,
);
const faultyState = (from: string, to: 'queued' | 'held') =>
  faultyListEntries(({ state }) => ({ state: state === from ? to : state }));
/** Enables each webhook again right after an attempt disabled it. */
const neverDisables = faultyDeliveries((deliveries, { webhooks }) => ({
  complete: async (ends, limits) => {
    const results = await deliveries.complete(ends, limits);
    for (const end of ends) await webhooks.enable(end);
    return results;
  },
}));

expectWebhookFaultsNoticed(deliveryWebhooks, {
  'claims no delivery of a webhook that a 410 disabled until the webhook is enabled': {
    'treats 410 as any other failure': faultyOutcome('failed', {
      kind: 'failed',
      reason: 'exhausted',
    }),
    'keeps sending to the webhook': neverDisables,
    'does not report the webhook as disabled': reportsNoneDisabled,
    'returns another disabledAtMs': faultyResults(
      'webhooks',
      'find',
      (webhook) => webhook && { ...webhook, disabledAtMs: webhook.createdAtMs },
    ),
    'lists paused deliveries as queued': faultyState('held', 'queued'),
    'returns a nextInMs at which nothing is due': faultyClaims(({ attempts, nextInMs }) => ({
      nextInMs: attempts.length === 0 ? 1 : nextInMs,
    })),
    'loses paused deliveries when the webhook is enabled': faultyWebhooks((webhooks) => ({
      enable: async (ref) => {
        const result = await webhooks.enable(ref);
        await webhooks.remove(ref);
        return result;
      },
    })),
    'loses paused retries': faultyClaims(({ attempts }) => ({
      attempts: attempts.filter(({ attempt }) => attempt === 1),
    })),
  },
  'completes an attempt in flight after another attempt disabled its webhook': {
    'returns stale to the attempt in flight': faultyCompletionResults((result, end) =>
      end?.outcome.kind === 'delivered' ? { outcome: 'stale' } : result,
    ),
    'reports the webhook as disabled again': reportsDisabled,
    'disables the webhook again': faultyDeliveries((deliveries, { webhooks }) => ({
      complete: async (ends, limits) => {
        if (ends[0]?.outcome.kind === 'failed') await webhooks.enable(ends[0]);
        return deliveries.complete(ends, limits);
      },
    })),
    'lists attempts in flight as paused': faultyState('sending', 'held'),
  },
  'retries at the new URL at once, and counts no failure at the former URL': {
    'counts failures at the former URL against the new URL': movedAs((end) => ({
      ...end,
      url: NEW_URL,
    })),
    'returns moved to a delivered attempt': faultyCompletionResults((result, end) =>
      end?.outcome.kind === 'delivered' ? { outcome: 'moved' } : result,
    ),
    'disables the webhook on a 410 from the former URL': movedAs((end) =>
      end.outcome.kind === 'failed' && end.outcome.reason === 'gone'
        ? { ...end, url: NEW_URL }
        : end,
    ),
    'applies the backoff of an attempt at the former URL': movedAs((end) => ({
      ...end,
      url: NEW_URL,
      outcome: { kind: 'not_counted', delayMs: 0 },
    })),
    'applies the delay of an uncounted attempt at the former URL': movedAs((end) =>
      end.outcome.kind === 'not_counted' ? { ...end, url: NEW_URL, backoffMs: 0 } : end,
    ),
    'counts a failure at the former URL': movedAs((end) =>
      end.outcome.kind === 'retry'
        ? { ...end, url: NEW_URL, outcome: { kind: 'retry', delayMs: 0 }, backoffMs: 0 }
        : end,
    ),
    'returns stale instead of moved': faultyCompletionResults((result) =>
      result.outcome === 'moved' ? { outcome: 'stale' } : result,
    ),
  },
  'disables a webhook after disableAfterMs when a delivery fails for good': {
    'disables a webhook 1 ms late': faultyDisableAfterMs((ms) => ms + 1),
    'disables a webhook 1 ms early': faultyDisableAfterMs((ms) => ms - 1),
    'disables webhooks on 410 only': faultyDisableAfterMs(() => ENDLESS_MS),
    'disables a webhook on any failure': faultyOutcome('retry', {
      kind: 'failed',
      reason: 'exhausted',
    }),
    'reports the webhook as disabled on the first failure': reportsDisabled,
    'does not report the webhook as disabled': reportsNoneDisabled,
  },
  'disables a webhook after disableAfterMs even if the delivery is retried': {
    'disables webhooks only when a delivery fails for good': faultyDisableAfterMs((ms, ends) =>
      ends.every(({ outcome }) => outcome.kind === 'retry') ? ENDLESS_MS : ms,
    ),
    'disables a webhook 1 ms late': faultyDisableAfterMs((ms) => ms + 1),
  },
  'restarts disableAfterMs on success': {
    'does not restart the time on success': faultyOutcome('delivered', {
      kind: 'not_counted',
      delayMs: 10 ** 12,
    }),
  },
  'restarts disableAfterMs on enable(), even of an enabled webhook': {
    'does not restart the time when an enabled webhook is enabled': enablesOnlyDisabled,
  },
  'neither starts nor restarts disableAfterMs on an uncounted attempt': {
    'restarts the time on an uncounted attempt': faultyOutcome('not_counted', {
      kind: 'delivered',
    }),
    'starts the time at an uncounted attempt': faultyOutcome('not_counted', {
      kind: 'retry',
      delayMs: 10 ** 12,
    }),
  },
  'returns notCounted separately from failures': {
    'counts an uncounted attempt as a failure': faultyOutcome('not_counted', {
      kind: 'retry',
      delayMs: 50,
    }),
    'returns notCounted as 0': faultyAttempts(() => ({ notCounted: 0 })),
    'does not reset notCounted after a failure': faultyAttempts(({ attempt }) => ({
      notCounted: Math.min(3, attempt - 1),
    })),
    'gives uncounted attempts no attempt number': faultyAttempts(
      ({ attempt, notCounted, failures }) => ({
        attempt: failures > 0 ? failures + 1 : attempt - notCounted,
      }),
    ),
  },
  'removes all deliveries of a removed webhook': {
    'keeps the deliveries': faultyWebhooks(() => ({ remove: async () => true })),
    'removes deliveries of other webhooks': faultyWebhooks((webhooks) => ({
      remove: async (ref) => {
        await webhooks.remove({ ...ref, webhookId: 'w2' });
        return webhooks.remove(ref);
      },
    })),
    'counts removed deliveries as pending': faultyResults('deliveries', 'stats', (stats) => ({
      ...stats,
      pending: 1,
    })),
  },
});
