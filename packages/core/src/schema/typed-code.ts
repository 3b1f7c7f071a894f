import * as v from 'valibot';
import { LARGEST_CODE, MAX_TYPED_CHARS } from '../mfa/challenge-code.ts';
import { text } from './basic-fields.ts';
import { describedAs } from './described-as.ts';

/**
 * A code as clients send it: text, or a number, which has lost its leading zeros. The function that uses the code
 * checks its shape.
 */
export function typedCode(message: string) {
  const codeNumber = v.pipe(
    v.number(message),
    v.safeInteger(message),
    describedAs({ minimum: 0, maximum: LARGEST_CODE }),
  );
  return v.union([codeText(message), codeNumber], message);
}

/** A code in a form, which has only text and so keeps leading zeros. */
export function codeText(message: string) {
  return v.pipe(text, v.maxLength(MAX_TYPED_CHARS, message));
}
