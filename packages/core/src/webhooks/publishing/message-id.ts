import * as v from 'valibot';
import { createIdGenerator } from '../../random-id.ts';

/** The id is part of a header, and of the signed text, where a dot terminates it. */
const MESSAGE_ID = /^[\w-]{1,64}$/;

/** The id of a message, in its body and in `webhook-id`. */
export const messageId = v.pipe(v.string(), v.regex(MESSAGE_ID));

/** Creates an id for a message that the host has given none. */
export const newMessageId: () => string = createIdGenerator('msg_');
