import { memoryStorage } from '@latchhook/core';
import { AgreementTrail } from '../../agreement/agreement-trail.ts';
import { assertAgreement } from '../../agreement/assert-agreement.ts';
import { RandomWebhookTransitions } from '../../agreement/random-webhook-transitions.ts';
import type { Suite } from '../../suite.ts';
import { storesOf, type WebhookTrial } from '../../trials/webhook-trial.ts';

const STEPS = 2_000;

/** Interactions between transitions that no claim covers. */
export const webhookAgreement: Suite<WebhookTrial> = {
  name: 'webhooks: agreement with the reference',
  claims: Object.fromEntries(
    [1, 2, 3].map((seed) => [
      `holds at every step of ${STEPS} random transitions (seed ${seed})`,
      (trial: WebhookTrial) => agree(trial, seed),
    ]),
  ),
};

async function agree({ storage, clock }: WebhookTrial, seed: number): Promise<void> {
  const reference = storesOf(memoryStorage({ clock, maxDelivered: STEPS }));
  const transitions = new RandomWebhookTransitions(seed, reference, clock);
  const trail = new AgreementTrail();
  for (let nth = 1; nth <= STEPS; nth += 1) {
    const step = await transitions.next();
    const name = `step ${nth}, ${step.name}`;
    if ('ms' in step) {
      trail.note(`${name} ${step.ms} ms`);
      clock.advance(step.ms);
      continue;
    }
    const expected = withoutSequences(await step.apply(reference));
    const actual = withoutSequences(await step.apply(storage));
    assertAgreement(name, { actual, expected }, trail.before());
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
