import type { AttemptEnd, AttemptOutcome, SentAttempt } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  attemptsThat,
  claimedThat,
  completedThat,
  disablesAfter,
  enablesOnlyDisabled,
  endsThat,
  listedThat,
} from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryWebhooks } from './delivery-webhooks.ts';

const NEW_URL = 'https://new.example.com/';
/** Changes ends of another URL; and says that they are what was asked for. */
const movedAs = (change: (end: SentAttempt) => AttemptEnd) =>
  deliveriesThat(({ deliveries }) => ({
    async complete(ends, limits) {
      const changed = ends.map((end) => ('result' in end ? change(end) : end));
      const answers = await deliveries.complete(changed, limits);
      const isMoved = (end: AttemptEnd | undefined) => end?.outcome.kind !== 'delivered';
      return answers.map((answer, nth) =>
        isMoved(ends[nth]) && answer.outcome === 'completed' ? { outcome: 'moved' } : answer,
      );
    },
  }));

type Kind = AttemptOutcome['kind'];

/** Takes ends of one kind for others. */
const takes = (kind: Kind, outcome: AttemptOutcome) =>
  endsThat((end) => ('result' in end && end.outcome.kind === kind ? { ...end, outcome } : end));
const saysDisabled = completedThat((answer, end) =>
  answer.outcome === 'completed' && end?.outcome.kind === 'failed'
    ? { ...answer, disabled: 'gone' }
    : answer,
);
const saysNothing = completedThat((answer) =>
  answer.outcome === 'completed' ? { ...answer, disabled: null } : answer,
);
const showsAs = (from: string, to: 'queued' | 'held') =>
  listedThat(({ state }) => ({ state: state === from ? to : state }));
/** Enables what has just been disabled, so that it goes on. */
const goesOn = storesThat(({ webhooks, deliveries }) => ({
  webhooks,
  deliveries: {
    ...deliveries,
    complete: async (ends, limits) => {
      const answers = await deliveries.complete(ends, limits);
      for (const end of ends) await webhooks.enable(end);
      return answers;
    },
  },
}));

expectWebhookFaultsNoticed(deliveryWebhooks, {
  'disables a webhook after 410: nothing of it starts until it is enabled': {
    'takes 410 for any failure': takes('failed', { kind: 'failed', reason: 'exhausted' }),
    'goes on': goesOn,
    'does not say so': saysNothing,
    'dates it by the claim': webhooksThat(({ webhooks }) => ({
      find: async (ref) => {
        const webhook = await webhooks.find(ref);
        return webhook && { ...webhook, disabledAtMs: webhook.createdAtMs };
      },
    })),
    'shows what is held as queued': showsAs('held', 'queued'),
    'has workers ask in vain': claimedThat(({ attempts, nextInMs }) => ({
      nextInMs: attempts.length === 0 ? 1 : nextInMs,
    })),
    'loses what it held': webhooksThat(({ webhooks }) => ({
      enable: async (ref) => {
        const answer = await webhooks.enable(ref);
        await webhooks.remove(ref);
        return answer;
      },
    })),
    'loses retries': claimedThat(({ attempts }) => ({
      attempts: attempts.filter(({ attempt }) => attempt === 1),
    })),
  },
  'lets an attempt in flight complete after another disabled its webhook': {
    'takes it for stale': completedThat((answer, end) =>
      end?.outcome.kind === 'delivered' ? { outcome: 'stale' } : answer,
    ),
    'says again that it is disabled': saysDisabled,
    'disables it again': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        complete: async (ends, limits) => {
          if (ends[0]?.outcome.kind === 'failed') await webhooks.enable(ends[0]);
          return deliveries.complete(ends, limits);
        },
      },
    })),
    'shows it as held': showsAs('sending', 'held'),
  },
  'counts no failure at a URL that has been changed since, and sends it to the new one at once': {
    'takes them for failures of the new one': movedAs((end) => ({ ...end, url: NEW_URL })),
    'takes what was delivered for a failure': completedThat((answer, end) =>
      end?.outcome.kind === 'delivered' ? { outcome: 'moved' } : answer,
    ),
    'disables it by 410 all the same': movedAs((end) =>
      end.outcome.kind === 'failed' && end.outcome.reason === 'gone'
        ? { ...end, url: NEW_URL }
        : end,
    ),
    'backs off': movedAs((end) => ({
      ...end,
      url: NEW_URL,
      outcome: { kind: 'not_counted', delayMs: 0 },
    })),
    'sends it as late as it had asked for': movedAs((end) =>
      end.outcome.kind === 'not_counted' ? { ...end, url: NEW_URL, backoffMs: 0 } : end,
    ),
    'counts a try': movedAs((end) =>
      end.outcome.kind === 'retry'
        ? { ...end, url: NEW_URL, outcome: { kind: 'retry', delayMs: 0 }, backoffMs: 0 }
        : end,
    ),
    'takes them for stale': completedThat((answer) =>
      answer.outcome === 'moved' ? { outcome: 'stale' } : answer,
    ),
  },
  'disables a webhook that has only failed for long when a delivery fails for good': {
    'is late by one': disablesAfter((ms) => ms + 1),
    'is early by one': disablesAfter((ms) => ms - 1),
    'goes by 410 alone': disablesAfter(() => 10 ** 15),
    'disables it by any failure': takes('retry', { kind: 'failed', reason: 'exhausted' }),
    'says so at once': saysDisabled,
    'does not say so': saysNothing,
  },
  'disables a webhook that has only failed for long when a delivery as old fails again': {
    'goes by what is given up alone': disablesAfter((ms, ends) =>
      ends.every(({ outcome }) => outcome.kind === 'retry') ? 10 ** 15 : ms,
    ),
    'is late by one': disablesAfter((ms) => ms + 1),
  },
  'resets the time of failing on success and when enabled, not on uncounted attempts': {
    'forgets nothing by a success': takes('delivered', {
      kind: 'not_counted',
      delayMs: 10 ** 12,
    }),
    'forgets nothing of an enabled one': enablesOnlyDisabled,
    'forgets it by what is not counted': takes('not_counted', { kind: 'delivered' }),
    'begins with what is not counted': takes('not_counted', { kind: 'retry', delayMs: 30_000 }),
  },
  'counts uncounted attempts separately, without using a try': {
    'counts it as a failure': takes('not_counted', { kind: 'retry', delayMs: 50 }),
    'does not count it': attemptsThat(() => ({ notCounted: 0 })),
    'counts on after a failure': attemptsThat(({ attempt }) => ({
      notCounted: Math.min(3, attempt - 1),
    })),
    'numbers no attempt that is not counted': attemptsThat(({ attempt, notCounted, failures }) => ({
      attempt: failures > 0 ? failures + 1 : attempt - notCounted,
    })),
  },
  'removes all deliveries with their webhook': {
    'keeps them': webhooksThat(() => ({ remove: async () => true })),
    'removes those of other webhooks': webhooksThat(({ webhooks }) => ({
      remove: async (ref) => {
        await webhooks.remove({ ...ref, webhookId: 'w2' });
        return webhooks.remove(ref);
      },
    })),
    'counts what is gone': deliveriesThat(({ deliveries }) => ({
      stats: async () => ({ ...(await deliveries.stats()), pending: 1 }),
    })),
  },
});
