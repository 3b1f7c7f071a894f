import * as v from 'valibot';
import { time, wholeNumber } from '../../schema/answer-fields.ts';
import { named } from '../../schema/named.ts';
import { PING_EVENT, type WebhookEventName } from '../../webhook-events.ts';
import { messageId } from './message-id.ts';

/** What receivers read in the body of a type, as `envelopeBody` writes it; a test holds the one to the other. */
export function envelopeSchema(type: WebhookEventName | typeof PING_EVENT) {
  const envelope = v.object({
    id: v.pipe(messageId, v.description('As in `webhook-id`.')),
    type: v.literal(type),
    timestamp: v.pipe(
      time,
      v.description('When it was published, in UTC: the same at every attempt.'),
    ),
    account_id: v.pipe(
      wholeNumber,
      v.minValue(1),
      v.description('The account that it happened to.'),
    ),
    data: type === PING_EVENT ? v.strictObject({}) : v.record(v.string(), v.unknown()),
  });
  return named(`${type.replace('.', '')}Event`, envelope);
}
