import * as v from 'valibot';
import { createIds } from '../../random-id.ts';

/** An id goes into a header, and into the text that is signed, where a dot ends it. */
const MESSAGE_ID = /^[\w-]{1,64}$/;

/** The id of a message, in its body and in `webhook-id`. */
export const messageId = v.pipe(v.string(), v.regex(MESSAGE_ID));

/** Makes the id of a message that was given none. */
export const newMessageId: () => string = createIds('msg_');
