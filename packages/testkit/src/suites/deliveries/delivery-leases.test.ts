import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  attemptsThat,
  claimedThat,
  listedThat,
  requestsThat,
} from '../../self-test/faulty-deliveries.ts';
import { capsThat, knowsNoCap } from '../../self-test/faulty-delivery-caps.ts';
import { deliveriesThat, readThenWriteWebhooks } from '../../self-test/faulty-webhooks.ts';
import { deliveryLeases } from './delivery-leases.ts';

const leasesFor = (change: (leaseMs: number) => number) =>
  requestsThat(({ leaseMs }) => ({ leaseMs: change(leaseMs) }));
const leasesForEver = leasesFor(() => 10 ** 15);
const losesAtMost = (change: (maxLostAttempts: number) => number) =>
  requestsThat(({ maxLostAttempts }) => ({ maxLostAttempts: change(maxLostAttempts) }));
const logsAs = (error: string | null) =>
  listedThat(({ attempts }) => ({ attempts: attempts.map((each) => ({ ...each, error })) }));

/** Counts leases that are over among those in flight. */
const losesRoom = capsThat(({ webhooks, deliveries, clock }) => {
  const endsAtMs: number[] = [];
  return {
    more: () => -endsAtMs.filter((atMs) => atMs <= clock.nowMs()).length,
    stores: {
      webhooks,
      deliveries: {
        ...deliveries,
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          endsAtMs.push(...claim.attempts.map(({ claimedAtMs }) => claimedAtMs + request.leaseMs));
          return claim;
        },
      },
    },
  };
});

/** Poisons by what was lost since `forgets` said so last, or ever. */
const countsLostSince = (forgets: (kind: string) => boolean) =>
  deliveriesThat(({ deliveries }) => {
    let more = 0;
    return {
      claim: (request) =>
        deliveries.claim({
          ...request,
          maxLostAttempts: Math.max(1, request.maxLostAttempts + more),
        }),
      complete: (ends, limits) => {
        for (const { outcome } of ends) more += forgets(outcome.kind) ? 4 : -4;
        return deliveries.complete(ends, limits);
      },
    };
  });

expectWebhookFaultsNoticed(deliveryLeases, {
  'hands out no attempt twice, over all connections': {
    'reads, then writes': readThenWriteWebhooks,
    'hands out each twice': claimedThat(({ attempts }) => ({
      attempts: [...attempts, ...attempts],
    })),
    'passes over some': claimedThat(({ attempts }) => ({ attempts: attempts.slice(1) })),
  },
  'hands an attempt out again when its lease is over, to the millisecond, and logs it as lost': {
    'leases for ever': leasesForEver,
    'is late by one': leasesFor((leaseMs) => leaseMs + 1),
    'is early by one': leasesFor((leaseMs) => leaseMs - 1),
    'counts a failure': attemptsThat(({ attempt }) => ({ failures: attempt - 1 })),
    'counts attempts that ended only': attemptsThat(() => ({ attempt: 1 })),
    'does not log it': listedThat(({ attempts }) => ({
      attempts: attempts.filter(({ error }) => error !== 'lost'),
    })),
    'logs it as if nothing was wrong': logsAs(null),
  },
  'hands it out again though the clock was set back before it was claimed': {
    'takes it for another of the same id': claimedThat(({ attempts }) => ({
      attempts: attempts.filter(
        (each) => each.attempt === 1 || each.createdAtMs < each.claimedAtMs,
      ),
    })),
    'leases for ever': leasesForEver,
  },
  'says to claim again by when the first lease ends': {
    'says nothing': claimedThat(({ nextInMs }) => ({ nextInMs: nextInMs && null })),
    'is late by one': claimedThat(({ nextInMs }) => ({ nextInMs: nextInMs && nextInMs + 1 })),
  },
  'goes by the lease of each claim, whatever the next ones ask for': {
    'has one of its own': leasesFor(() => 30_000),
    'leases for ever': leasesForEver,
  },
  'gives a delivery up as poison whose leases were lost in a row, and says so once': {
    'knows no poison': losesAtMost(() => 1_000),
    'is patient for one more': losesAtMost((most) => most + 1),
    'is patient for one less': losesAtMost((most) => most - 1),
    'forgets by what was not started': countsLostSince((kind) => kind === 'not_started'),
    'does not say so': claimedThat(() => ({ poisoned: [] })),
    'says so again': deliveriesThat(({ deliveries }) => {
      const poisoned: { accountId: number; webhookId: string; deliveryId: string }[] = [];
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          poisoned.push(...claim.poisoned);
          return { ...claim, poisoned };
        },
      };
    }),
    'gives another reason': listedThat(({ deadReason }) => ({
      deadReason: deadReason && 'exhausted',
    })),
  },
  'counts lost leases from anew after an attempt that ended': {
    'counts all that were ever lost': countsLostSince(() => false),
    'counts them as failures': attemptsThat(({ attempt }) => ({ failures: attempt - 1 })),
  },
  'frees what was in flight of a webhook and its account when a lease is lost': {
    'leases for ever': leasesForEver,
    'counts what is lost': losesRoom,
    'knows no cap': knowsNoCap,
  },
});
