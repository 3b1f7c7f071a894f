import type { FinishOutcome, FinishRequest } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookDisabling } from './webhook-disabling.ts';

type Finished = Extract<FinishOutcome, { readonly outcome: 'finished' }>;

/** Ends attempts in another way than it was asked to. */
function finishesThat(change: (request: FinishRequest) => Partial<FinishRequest>) {
  return deliveriesThat(({ deliveries }) => ({
    finish: (request) => deliveries.finish({ ...request, ...change(request) }),
  }));
}

/** Ends attempts correctly, but answers something else. */
function saysThat(change: (answer: Finished, request: FinishRequest) => Finished) {
  return deliveriesThat(({ deliveries }) => ({
    finish: async (request) => {
      const answer = await deliveries.finish(request);
      return answer.outcome === 'finished' ? change(answer, request) : answer;
    },
  }));
}

/** Enables a disabled webhook whenever one of its deliveries starts. */
const sendsNevertheless = storesThat(({ webhooks, deliveries }) => ({
  webhooks,
  deliveries: {
    ...deliveries,
    start: async (request) => {
      await webhooks.enable(request);
      await deliveries.release(request, { limit: 10 });
      const answer = await deliveries.start(request);
      return answer.outcome === 'over' ? deliveries.start({ ...request, run: 2 }) : answer;
    },
  },
}));

const disablesNever = finishesThat(({ verdict }) => ({
  disableAfterMs: Number.MAX_SAFE_INTEGER,
  verdict: verdict.kind === 'dead' ? { kind: 'dead', reason: 'exhausted' } : verdict,
}));

const releasesAtOnce = storesThat(({ webhooks, deliveries }) => ({
  webhooks,
  deliveries: {
    ...deliveries,
    release: async (ref, request) => {
      await webhooks.enable(ref);
      return deliveries.release(ref, request);
    },
  },
}));

expectWebhookFaultsNoticed(webhookDisabling, {
  'happens at once, and once, if the receiver is gone': {
    'disables never': disablesNever,
    'says so every time': saysThat((answer, { verdict }) =>
      verdict.kind === 'dead' ? { ...answer, disabled: 'gone' } : answer,
    ),
    'does not say so': saysThat((answer) => ({ ...answer, disabled: null })),
    'dates it again': webhooksThat(({ webhooks, clock }) => ({
      find: async (ref) => {
        const record = await webhooks.find(ref);
        return record && { ...record, disabledAtMs: record.disabledAtMs && clock.nowMs() };
      },
    })),
  },
  'happens as one is given up after nothing but failures for disableAfterMs': {
    'disables never': disablesNever,
    'is early by one': finishesThat(({ disableAfterMs }) => ({
      disableAfterMs: disableAfterMs - 1,
    })),
    'is late by one': finishesThat(({ disableAfterMs }) => ({
      disableAfterMs: disableAfterMs + 1,
    })),
    'does not wait for one that is given up': saysThat((answer, { deliveryId }) =>
      deliveryId === 'm4' ? { ...answer, disabled: 'failing' } : answer,
    ),
    'takes a delivery that is given up for a success': finishesThat(({ verdict }) =>
      verdict.kind === 'dead' ? { verdict: { kind: 'delivered' } } : {},
    ),
  },
  'happens as well as one fails again that was published disableAfterMs ago': {
    'waits until one is given up': finishesThat(({ verdict, disableAfterMs }) => ({
      disableAfterMs: verdict.kind === 'dead' ? disableAfterMs : Number.MAX_SAFE_INTEGER,
    })),
    'is early by one': finishesThat(({ disableAfterMs }) => ({
      disableAfterMs: disableAfterMs - 1,
    })),
  },
  'is postponed by a success, as if nothing had failed before': {
    'takes a success for a failure': finishesThat(({ verdict }) =>
      verdict.kind === 'delivered' ? { verdict: { kind: 'dead', reason: 'exhausted' } } : {},
    ),
    'disables never': disablesNever,
  },
  'is neither begun nor postponed by excused attempts': {
    'takes it for a failure': finishesThat(({ verdict }) =>
      verdict.kind === 'excused' ? { verdict: { kind: 'retry', delayMs: 0 } } : {},
    ),
    'takes it for a success': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        finish: async (request) => {
          if (request.verdict.kind === 'excused') await webhooks.enable(request);
          return deliveries.finish(request);
        },
      },
    })),
  },
  'is undone by enabling, and earlier failures are forgotten': {
    'enables nothing': webhooksThat(({ webhooks }) => ({
      enable: async (ref) => {
        const webhook = await webhooks.find(ref);
        return webhook && { outcome: 'enabled', webhook };
      },
    })),
    'does not say that it was disabled': webhooksThat(({ webhooks }) => ({
      enable: async (ref) => {
        const enabled = await webhooks.enable(ref);
        return enabled && { ...enabled, outcome: 'was_enabled' };
      },
    })),
    'remembers what failed': saysThat((answer, { deliveryId }) =>
      deliveryId === 'm3' ? { ...answer, disabled: 'failing' } : answer,
    ),
  },
  'holds deliveries that were to start, and those to be tried again': {
    'sends nevertheless': sendsNevertheless,
    'counts it as pending': deliveriesThat(({ deliveries }) => ({
      countPending: async () => 2 + (await deliveries.countPending()),
    })),
    'says when it goes on': deliveriesThat(({ deliveries, clock }) => ({
      find: async (ref) => {
        const record = await deliveries.find(ref);
        return record && { ...record, nextAttemptAtMs: clock.nowMs() };
      },
    })),
  },
  'does not change the result of an attempt in flight': {
    'holds it': saysThat((answer) =>
      answer.state === 'delivered' ? { ...answer, state: 'held' } : answer,
    ),
    'enables by a success': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        finish: async (request) => {
          const answer = await deliveries.finish(request);
          if (request.verdict.kind === 'delivered') await webhooks.enable(request);
          return answer;
        },
      },
    })),
  },
  'releases no held delivery until it is undone by enabling': { 'lets it go': releasesAtOnce },
  'reschedules no delivery until it is undone by enabling': {
    'reschedules them nevertheless': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        reschedule: async (ref, request) => {
          await webhooks.enable(ref);
          return deliveries.reschedule(ref, request);
        },
      },
    })),
    'reschedules none': deliveriesThat(() => ({ reschedule: async () => [] })),
  },
});
