import type { PublishOutcome, ScheduledDelivery } from '@latchhook/core/storage';
import { parseDeliveryRef } from './delivery-record.ts';
import type { FunctionAnswer } from './function-answer.ts';
import { storedText } from './storable-text.ts';

/** Reads the answer of `spread_message`. */
export function parsePublished(accountId: number, answer: FunctionAnswer): PublishOutcome {
  const outcome = answer.outcome(['published', 'duplicate', 'unknown']);
  if (outcome === 'unknown') return { outcome };
  const known = {
    messageId: storedText(answer.text('messageId')),
    deliveries: answer.integer('deliveries'),
    scheduled: answer.list('scheduled').map((scheduled) => parseScheduledOf(accountId, scheduled)),
  };
  if (outcome === 'duplicate') return { outcome, ...known };
  const expired = answer.list('expired').map((one) => parseDeliveryRef(accountId, one));
  return { outcome, ...known, expired };
}

function parseScheduledOf(accountId: number, answer: FunctionAnswer): ScheduledDelivery {
  return {
    ...parseDeliveryRef(accountId, answer),
    run: answer.integer('run'),
    delayMs: answer.integer('delayMs'),
  };
}
