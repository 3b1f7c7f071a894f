import * as v from 'valibot';
import { text } from './basic-fields.ts';

/**
 * A code as clients send it: text, or a number, which has lost its leading zeros. Its shape is judged by whoever
 * asks for it.
 */
export function typedCode(message: string) {
  return v.union([codeText(message), v.pipe(v.number(message), v.safeInteger(message))], message);
}

/** The same in a form, where every digit is there: it has no numbers. */
export function codeText(message: string) {
  return v.pipe(text, v.maxLength(64, message));
}
