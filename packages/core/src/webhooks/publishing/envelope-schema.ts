import * as v from 'valibot';
import { time, wholeNumber } from '../../schema/answer-fields.ts';
import { messageId } from './message-id.ts';

/**
 * What receivers read in the body of a type, as `envelopeBody` writes it; a test holds the one to the other.
 *
 * @param data - the schema of its data
 */
export function envelopeSchema(type: string, data: v.GenericSchema) {
  return v.object({
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
    data,
  });
}
