import type {
  WebhookChange,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '../storage/webhook-store.ts';
import { type ChangedField, changedFields } from './webhook-fields.ts';

/** A change that was made, and what was there before. */
export interface UndoableChange {
  readonly change: WebhookChange;
  readonly before: WebhookRecord;
  readonly after: WebhookRecord;
}

type Store = Pick<WebhookStore, 'find' | 'changeIf'>;

/**
 * Changes a webhook so that the change can be undone. `null` where there is no such webhook.
 *
 * Concurrency: `before` was there while the credential was good, since it was read before the look that found so. Else
 * the second of two late changes would take the first one for what was there before, and put that back.
 *
 * @param assertStillGood - rejects if the credential of the request has ended
 */
export async function changeUndoably(
  webhooks: Store,
  ref: WebhookRef,
  change: WebhookChange,
  assertStillGood: () => Promise<void>,
): Promise<UndoableChange | null> {
  let before = await webhooks.find(ref);
  while (before !== null) {
    await assertStillGood();
    const expected = fieldsOf(before, changedFields(change));
    const answer = await webhooks.changeIf(ref, { expected, change });
    if (answer?.outcome === 'changed') return { change, before, after: answer.webhook };
    // Somebody else has changed it in between: each round that fails is a change of theirs.
    before = answer?.webhook ?? null;
  }
  return null;
}

/** Puts back each field that nobody has changed since; answers which. */
export async function undoChange(
  webhooks: Store,
  { change, before, after }: UndoableChange,
): Promise<readonly ChangedField[]> {
  const { accountId, webhookId } = before;
  const differing = changedFields(change).filter((field) => before[field] !== after[field]);
  const answers = await Promise.all(
    differing.map(async (field) => {
      const condition = { expected: fieldsOf(after, [field]), change: fieldsOf(before, [field]) };
      const answer = await webhooks.changeIf({ accountId, webhookId }, condition);
      return { field, isUndone: answer?.outcome === 'changed' };
    }),
  );
  return answers.filter(({ isUndone }) => isUndone).map(({ field }) => field);
}

function fieldsOf(
  { url, rateLimit, rateLimitPeriod }: WebhookRecord,
  fields: readonly ChangedField[],
): WebhookChange {
  return {
    ...(fields.includes('url') && { url }),
    ...(fields.includes('rateLimit') && { rateLimit }),
    ...(fields.includes('rateLimitPeriod') && { rateLimitPeriod }),
  };
}
