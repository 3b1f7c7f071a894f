import { memoryStorage } from '@latchhook/core';
import { withTextAccounts } from '../../fixtures/text-accounts.ts';
import {
  storesOf,
  type WebhookFixture,
  type WebhookStores,
} from '../../fixtures/webhook-fixture.ts';
import { assertSameOutcome } from '../../model/assert-same-outcome.ts';
import { ModelTrail } from '../../model/model-trail.ts';
import { RandomWebhookTransitions } from '../../model/random-webhook-transitions.ts';
import type { Suite } from '../../suite.ts';
import type { TurnableClock } from '../../time/turnable-clock.ts';

const STEPS = 2_000;

/** Interactions between transitions that no claim covers. */
export const webhookModel: Suite<WebhookFixture> = {
  name: 'webhooks: same outcomes as the reference',
  cases: {
    ...agreeing(1, (storage) => storage),
    ...agreeing(2, withTextAccounts, ', text account ids'),
    ...agreeing(3, (storage) => storage),
  },
};

function agreeing(
  seed: number,
  named: (storage: WebhookStores) => WebhookStores,
  how = '',
): Suite<WebhookFixture>['cases'] {
  return {
    [`matches the reference at every step of ${STEPS} random transitions (seed ${seed}${how})`]: ({
      storage,
      clock,
    }) => agree(named(storage), clock, seed),
  };
}

async function agree(storage: WebhookStores, clock: TurnableClock, seed: number): Promise<void> {
  const reference = storesOf(memoryStorage({ clock, maxDelivered: STEPS }));
  const transitions = new RandomWebhookTransitions(seed, reference, clock);
  const trail = new ModelTrail();
  for (let i = 1; i <= STEPS; i += 1) {
    const step = await transitions.next();
    const name = `step ${i}, ${step.name}`;
    if ('ms' in step) {
      trail.note(`${name} ${step.ms} ms`);
      clock.advance(step.ms);
      continue;
    }
    const expected = withoutSequences(await step.apply(reference));
    const actual = withoutSequences(await step.apply(storage));
    assertSameOutcome(name, { actual, expected }, trail.before());
    trail.noteAnswered(name, expected);
  }
}

/** The contracts leave open from where sequences count. */
function withoutSequences(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutSequences);
  if (typeof answer !== 'object' || answer === null) return answer;
  const known = Object.entries(answer).filter(([name]) => name !== 'sequence');
  return Object.fromEntries(known.map(([name, value]) => [name, withoutSequences(value)]));
}
