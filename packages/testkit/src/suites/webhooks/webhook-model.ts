import { memoryStorage } from '@latchhook/core';
import { withTextAccounts } from '../../fixtures/text-accounts.ts';
import {
  storesOf,
  type WebhookFixture,
  type WebhookStores,
  webhookSuite,
} from '../../fixtures/webhook-fixture.ts';
import { assertSameSteps } from '../../model/assert-same-steps.ts';
import { RandomWebhookTransitions } from '../../model/random-webhook-transitions.ts';
import type { Suite } from '../../suite.ts';
import type { TurnableClock } from '../../time/turnable-clock.ts';

const STEPS = 2_000;

/** Finds interactions between transitions that no other suite covers. */
export const webhookModel = webhookSuite('webhooks: same outcomes as the reference', {
  ...caseOfSeed(1),
  ...caseOfSeed(2, withTextAccounts, ', text account ids'),
  ...caseOfSeed(3),
});

function caseOfSeed(
  seed: number,
  adapt = (storage: WebhookStores): WebhookStores => storage,
  suffix = '',
): Suite<WebhookFixture>['cases'] {
  return {
    [`matches the reference at every step of ${STEPS} random transitions (seed ${seed}${suffix})`]:
      ({ storage, clock }) => assertSameAsReference(adapt(storage), clock, seed),
  };
}

function assertSameAsReference(
  stores: WebhookStores,
  clock: TurnableClock,
  seed: number,
): Promise<void> {
  const reference = storesOf(memoryStorage({ clock, maxDelivered: STEPS }));
  const transitions = new RandomWebhookTransitions(seed, reference, clock);
  return assertSameSteps(STEPS, {
    stores,
    reference,
    clock,
    nextStep: () => transitions.next(),
    definedPart: withoutSequences,
  });
}

/** The contracts leave open at which number sequences start. */
function withoutSequences(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutSequences);
  if (typeof result !== 'object' || result === null) return result;
  const members = Object.entries(result).filter(([name]) => name !== 'sequence');
  return Object.fromEntries(members.map(([name, value]) => [name, withoutSequences(value)]));
}
