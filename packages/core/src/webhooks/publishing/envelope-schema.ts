import * as v from 'valibot';
import { byAccountIdKind } from '../../schema/account-id-fields.ts';
import { time } from '../../schema/answer-fields.ts';
import { messageId } from './message-id.ts';

/**
 * The schema of the body that `envelopeBody` writes, for a type and the schema of its data. A test compares it with
 * such bodies.
 */
export const envelopeSchemas = byAccountIdKind(
  (ids) => (type: string, data: v.GenericSchema) =>
    v.object({
      id: v.pipe(messageId, v.description('The same as in the header `webhook-id`.')),
      type: v.literal(type),
      timestamp: v.pipe(
        time,
        v.description('When the event was published, in UTC: the same at every attempt.'),
      ),
      account_id: ids.published('The account of the event.'),
      data,
    }),
);
