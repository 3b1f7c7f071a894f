import * as v from 'valibot';
import { byAccountIdKind } from '../../schema/account-id-fields.ts';
import { time } from '../../schema/answer-fields.ts';
import { messageId } from './message-id.ts';

/**
 * What receivers read in the body of a type, as `envelopeBody` writes it; a test holds the one to the other.
 * It takes the type and the schema of its data.
 */
export const envelopeSchemas = byAccountIdKind(
  (ids) => (type: string, data: v.GenericSchema) =>
    v.object({
      id: v.pipe(messageId, v.description('As in `webhook-id`.')),
      type: v.literal(type),
      timestamp: v.pipe(
        time,
        v.description('When it was published, in UTC: the same at every attempt.'),
      ),
      account_id: ids.published('The account that it happened to.'),
      data,
    }),
);
