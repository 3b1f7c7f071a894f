import type { DeliveryRef } from '@latchhook/core/storage';
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
const losesAtMost = (change: (maxStalledAttempts: number) => number) =>
  requestsThat(({ maxStalledAttempts }) => ({ maxStalledAttempts: change(maxStalledAttempts) }));
const logsAs = (error: string | null) =>
  listedThat(({ attempts }) => ({ attempts: attempts.map((each) => ({ ...each, error })) }));

/** Counts leases that are over among those in flight. */
const losesCapacity = capsThat(({ webhooks, deliveries, clock }) => {
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
          maxStalledAttempts: Math.max(1, request.maxStalledAttempts + more),
        }),
      complete: (ends, limits) => {
        for (const { outcome } of ends) more += forgets(outcome.kind) ? 4 : -4;
        return deliveries.complete(ends, limits);
      },
    };
  });

expectWebhookFaultsNoticed(deliveryLeases, {
  'claims no attempt twice, over all connections': {
    'reads, then writes': readThenWriteWebhooks,
    'hands out each twice': claimedThat(({ attempts }) => ({
      attempts: [...attempts, ...attempts],
    })),
    'passes over some': claimedThat(({ attempts }) => ({ attempts: attempts.slice(1) })),
  },
  'claims an attempt again when its lease expires, to the millisecond, and logs it as lost': {
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
  'claims a lost attempt again though the clock was set back': {
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
  'keeps the lease of each claim, whatever later claims ask for': {
    'has one of its own': leasesFor(() => 30_000),
    'leases for ever': leasesForEver,
  },
  'fails a delivery as poison after several lost leases in a row, and reports it once': {
    'knows no poison': losesAtMost(() => 1_000),
    'is patient for one more': losesAtMost((most) => most + 1),
    'is patient for one less': losesAtMost((most) => most - 1),
    'forgets by what was not started': countsLostSince((kind) => kind === 'not_started'),
    'does not say so': claimedThat(() => ({ poisoned: [] })),
    'says so again': deliveriesThat(({ deliveries }) => {
      const poisoned: DeliveryRef[] = [];
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
  'resets the count of lost leases when an attempt completes': {
    'counts all that were ever lost': countsLostSince(() => false),
    'counts them as failures': attemptsThat(({ attempt }) => ({ failures: attempt - 1 })),
  },
  'frees the permits of webhook and account when a lease is lost': {
    'leases for ever': leasesForEver,
    'counts what is lost': losesCapacity,
    'knows no cap': knowsNoCap,
  },
});
