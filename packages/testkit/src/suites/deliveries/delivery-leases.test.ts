import type { DeliveryRef } from '@latchhook/core/storage';
import { POLICY } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyAttempts,
  faultyClaims,
  faultyListEntries,
  orderedBy,
} from '../../self-test/faulty-deliveries.ts';
import { faultyCaps, ignoresCaps } from '../../self-test/faulty-delivery-caps.ts';
import { faultyDeliveries, faultyRequests } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { deliveryLeases } from './delivery-leases.ts';

const ENDLESS_MS = 10 ** 15;
const faultyLeaseMs = (change: (leaseMs: number) => number) =>
  faultyRequests('deliveries', 'claim', ({ leaseMs }) => ({ leaseMs: change(leaseMs) }));
const neverExpires = faultyLeaseMs(() => ENDLESS_MS);
const stalledAtMost = (change: (maxStalledAttempts: number) => number) =>
  faultyRequests('deliveries', 'claim', ({ maxStalledAttempts }) => ({
    maxStalledAttempts: change(maxStalledAttempts),
  }));
const faultyLogError = (error: string | null) =>
  faultyListEntries(({ attempts }) => ({ attempts: attempts.map((each) => ({ ...each, error })) }));

/** Counts expired leases as in flight. */
const countsExpiredLeases = faultyCaps(({ deliveries, clock }) => {
  const endsAtMs: number[] = [];
  return {
    extraPermits: () => -endsAtMs.filter((atMs) => atMs <= clock.nowMs()).length,
    deliveries: {
      claim: async (request) => {
        const claim = await deliveries.claim(request);
        endsAtMs.push(...claim.attempts.map(({ claimedAtMs }) => claimedAtMs + request.leaseMs));
        return claim;
      },
    },
  };
});

/**
 * Resets the count of expired leases only when attempts end for which `resets` is true: a raised limit acts like a
 * count that is reset, and a lowered limit like a count that goes on.
 */
const countExpiredSince = (resets: (kind: string) => boolean) =>
  faultyDeliveries((deliveries) => {
    let more = 0;
    return {
      claim: (request) =>
        deliveries.claim({
          ...request,
          maxStalledAttempts: Math.max(1, request.maxStalledAttempts + more),
        }),
      complete: (ends, limits) => {
        for (const { outcome } of ends)
          more += resets(outcome.kind)
            ? POLICY.maxStalledAttempts - 1
            : 1 - POLICY.maxStalledAttempts;
        return deliveries.complete(ends, limits);
      },
    };
  });

expectWebhookFaultsNoticed(deliveryLeases, {
  'claims each attempt once over all connections': {
    'reads and writes non-atomically': nonAtomic,
    'claims each attempt twice': faultyClaims(({ attempts }) => ({
      attempts: [...attempts, ...attempts],
    })),
    'skips the first attempt of each claim': faultyClaims(({ attempts }) => ({
      attempts: attempts.slice(1),
    })),
  },
  'claims a delivery again in the millisecond that its lease expires, and logs the lost attempt': {
    'never expires a lease': neverExpires,
    'expires a lease 1 ms late': faultyLeaseMs((leaseMs) => leaseMs + 1),
    'expires a lease 1 ms early': faultyLeaseMs((leaseMs) => leaseMs - 1),
    'counts an expired lease as a failure': faultyAttempts(({ attempt }) => ({
      failures: attempt - 1,
    })),
    'counts completed attempts only': faultyAttempts(() => ({ attempt: 1 })),
    'does not log the lost attempt': faultyListEntries(({ attempts }) => ({
      attempts: attempts.filter(({ error }) => error !== 'lost'),
    })),
    'logs the lost attempt without an error': faultyLogError(null),
  },
  'claims stalled attempts before retries and first attempts': {
    'claims in the order of publishing': orderedBy((a, b) => a.sequence - b.sequence),
    'claims first attempts first': orderedBy(
      (a, b) => a.attempt - b.attempt || a.sequence - b.sequence,
    ),
    'never expires a lease': neverExpires,
  },
  'claims a stalled attempt again even if the clock was set back': {
    'drops a stalled attempt whose creation is later than its claim': faultyClaims(
      ({ attempts }) => ({
        attempts: attempts.filter(
          (each) => each.attempt === 1 || each.createdAtMs < each.claimedAtMs,
        ),
      }),
    ),
    'never expires a lease': neverExpires,
  },
  'returns a nextInMs no later than the end of the first lease': {
    'returns no nextInMs': faultyClaims(({ nextInMs }) => ({ nextInMs: nextInMs && null })),
    'returns a nextInMs 1 ms too late': faultyClaims(({ nextInMs }) => ({
      nextInMs: nextInMs && nextInMs + 1,
    })),
  },
  'leaves a lease unchanged by the leaseMs of later claims': {
    'applies a fixed lease': faultyLeaseMs(() => POLICY.leaseMs),
    'never expires a lease': neverExpires,
  },
  'reports a delivery as poison, once, if maxStalledAttempts leases expire in a row': {
    'never fails a delivery as poison': stalledAtMost(() => 1_000),
    'tolerates one expired lease too many': stalledAtMost((most) => most + 1),
    'tolerates one expired lease too few': stalledAtMost((most) => most - 1),
    'resets the count when an attempt is returned': countExpiredSince(
      (kind) => kind === 'not_started',
    ),
    'does not report a poison message': faultyClaims(() => ({ poisoned: [] })),
    'reports a poison message again': faultyDeliveries((deliveries) => {
      const poisoned: DeliveryRef[] = [];
      return {
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          poisoned.push(...claim.poisoned);
          return { ...claim, poisoned };
        },
      };
    }),
    'lists another deadReason': faultyListEntries(({ deadReason }) => ({
      deadReason: deadReason && 'exhausted',
    })),
  },
  'resets the count of expired leases when an attempt completes': {
    'never resets the count': countExpiredSince(() => false),
    'counts expired leases as failures': faultyAttempts(({ attempt }) => ({
      failures: attempt - 1,
    })),
  },
  'frees the permits of webhook and account when a lease expires': {
    'never expires a lease': neverExpires,
    'counts expired leases as in flight': countsExpiredLeases,
    'ignores the limit of attempts in flight': ignoresCaps,
  },
});
