import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { recordsThat, startsThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryLost } from './delivery-lost.ts';

const leasesForEver = startsThat(() => ({ leaseMs: Number.MAX_SAFE_INTEGER / 2 }));
const knowsNoCap = startsThat(() => ({ maxInFlight: 1_000 }));
const knowsNoPoison = startsThat(() => ({ maxLostAttempts: 1_000 }));

expectWebhookFaultsNoticed(deliveryLost, {
  'are those whose lease is over, and cost no try': {
    'leases for ever': leasesForEver,
    'is late by one': startsThat(({ leaseMs }) => ({ leaseMs: leaseMs + 1 })),
    'counts it as a try': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        if (answer.outcome !== 'started') return answer;
        return { ...answer, triesBefore: answer.attempt - 1 };
      },
    })),
    'logs it as if nothing was wrong': recordsThat((record) => ({
      ...record,
      attempts: record.attempts.map((attempt) => ({ ...attempt, error: null })),
    })),
    'does not log it': recordsThat((record) => ({
      ...record,
      attempts: record.attempts.filter(({ error }) => error !== 'lost'),
    })),
  },
  'cannot be ended once another has begun': {
    'takes the late end for that of the other': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        if (answer.outcome === 'finished') return answer;
        return deliveries.finish({ ...request, attempt: request.attempt + 1 });
      },
    })),
  },
  'take no room': {
    'leases for ever': leasesForEver,
    'is late by one': startsThat(({ leaseMs }) => ({ leaseMs: leaseMs + 1 })),
    'knows no cap': knowsNoCap,
  },
  'count towards the rate': {
    'takes a minute for less': startsThat(() => ({ rateMarginMs: -55_000 })),
  },
  'kill a delivery as poison once there were maxLostAttempts': {
    'knows no poison': knowsNoPoison,
    'is patient for one more': startsThat(({ maxLostAttempts }) => ({
      maxLostAttempts: maxLostAttempts + 1,
    })),
    'gives another reason': recordsThat((record) => ({
      ...record,
      deadReason: record.deadReason && 'exhausted',
    })),
    'says so again': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'over' ? { outcome: 'poisoned', next: null } : answer;
      },
    })),
  },
  'are lost once, even if the rate makes the next one wait': {
    'takes them for in flight': recordsThat((record) => ({ ...record, state: 'sending' })),
    'loses them with every ask': deliveriesThat(({ deliveries }) => {
      let asks = 0;
      return {
        start: async (request) => {
          asks += 1;
          if (asks > 1 + request.maxLostAttempts) return { outcome: 'poisoned', next: null };
          return deliveries.start(request);
        },
      };
    }),
  },
  'no longer count once the delivery is sent again': {
    'counts those of all runs': deliveriesThat(({ deliveries }) => {
      let starts = 0;
      return {
        start: async (request) => {
          starts += 1;
          if (starts > request.maxLostAttempts + 2) return { outcome: 'poisoned', next: null };
          return deliveries.start(request);
        },
      };
    }),
  },
});
