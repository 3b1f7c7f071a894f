import type { FinishRequest } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { admissionsThat, recordsThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryAttempts } from './delivery-attempts.ts';

/** Ends attempts in another way than it was asked to. */
function finishesThat(change: (request: FinishRequest) => Partial<FinishRequest>) {
  return deliveriesThat(({ deliveries }) => ({
    finish: (request) => deliveries.finish({ ...request, ...change(request) }),
  }));
}

/** Counts excused attempts as tries. */
const countsEveryAttempt = admissionsThat((answer) => ({
  ...answer,
  triesBefore: answer.attempt - 1,
}));

expectWebhookFaultsNoticed(deliveryAttempts, {
  'answer the body to the byte, the URL and the secrets': {
    'parses what it is to keep': admissionsThat((answer) => ({
      ...answer,
      body: JSON.stringify(JSON.parse(answer.body.replace('003c', '003d'))),
    })),
    'dates them by the clock on the wall': admissionsThat((answer) => ({
      ...answer,
      startedAtMs: answer.startedAtMs - 1,
    })),
    'numbers them from 0': admissionsThat((answer) => ({ ...answer, attempt: answer.attempt - 1 })),
    'does not say that one is in flight': recordsThat((record) => ({
      ...record,
      state: 'queued',
    })),
  },
  'go to the present URL of the webhook': {
    'goes where it was at publishing': deliveriesThat(({ webhooks, deliveries }) => {
      let url = '';
      return {
        publish: async (message) => {
          const { accountId, webhookId } = message;
          url = (await webhooks.find({ accountId, webhookId: webhookId ?? '' }))?.url ?? '';
          return deliveries.publish(message);
        },
        start: async (request) => {
          const answer = await deliveries.start(request);
          if (answer.outcome !== 'started') return answer;
          return { ...answer, webhook: { ...answer.webhook, url } };
        },
      };
    }),
  },
  'are logged with their results, oldest first': {
    'logs the newest first': recordsThat((record) => ({
      ...record,
      attempts: record.attempts.toReversed(),
    })),
    'logs the last one only': recordsThat((record) => ({
      ...record,
      attempts: record.attempts.slice(-1),
    })),
    'ends text at a zero': finishesThat(({ result }) => ({
      result: { ...result, response: result.response?.split('\u0000')[0] ?? null },
    })),
    'takes no answer for an empty one': finishesThat(({ result }) => ({
      result: { ...result, response: result.response ?? '' },
    })),
  },
  'count the tries that failed, and none that is excused': {
    'counts every attempt': countsEveryAttempt,
    'counts none': admissionsThat((answer) => ({ ...answer, triesBefore: 0 })),
  },
  'wait as long as the verdict says, to the millisecond': {
    'waits for nothing': finishesThat(({ verdict }) => ({
      verdict: 'delayMs' in verdict ? { ...verdict, delayMs: 0 } : verdict,
    })),
    'waits for one more': finishesThat(({ verdict }) => ({
      verdict: 'delayMs' in verdict ? { ...verdict, delayMs: verdict.delayMs + 1 } : verdict,
    })),
    'says that it is the rate': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { ...answer, reason: 'rate' } : answer;
      },
    })),
  },
  'end a delivery for good, as delivered or dead': {
    'tries again what was delivered': finishesThat(({ verdict }) => ({
      verdict: verdict.kind === 'delivered' ? { kind: 'retry', delayMs: 0 } : verdict,
    })),
    'gives no reason': recordsThat((record) => ({ ...record, deadReason: null })),
    'lets it start again': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        await deliveries.resend(request);
        return deliveries.start({ ...request, run: 2 });
      },
    })),
  },
  'end once': {
    'says so of every end': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        if (answer.outcome === 'finished') return answer;
        return { outcome: 'finished', state: 'waiting', disabled: null, next: null };
      },
    })),
    'logs every end': deliveriesThat(({ deliveries }) => {
      let ends = 0;
      return {
        finish: (request) => {
          ends += 1;
          return deliveries.finish(request);
        },
        find: async (ref) => {
          const record = await deliveries.find(ref);
          const [attempt] = record?.attempts ?? [];
          return record && attempt ? { ...record, attempts: Array(ends).fill(attempt) } : record;
        },
      };
    }),
  },
  'are ended only by the process that made them': {
    'takes any number for the right one': deliveriesThat(({ deliveries }) => {
      let current = 0;
      return {
        start: async (request) => {
          const answer = await deliveries.start(request);
          if (answer.outcome === 'started') current = answer.attempt;
          return answer;
        },
        finish: (request) => deliveries.finish({ ...request, attempt: current }),
      };
    }),
    'takes older ones for the right one': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        if (answer.outcome === 'finished') return answer;
        return deliveries.finish({ ...request, attempt: request.attempt + 1 });
      },
    })),
    'knows no account': finishesThat(() => ({ accountId: 7 })),
  },
  'do not begin for an unpublished message': {
    'holds it for one that it has forgotten': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'over' ? { outcome: 'held' } : answer;
      },
    })),
  },
});
