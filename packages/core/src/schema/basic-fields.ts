import * as v from 'valibot';

/*
 * Schemas for the fields of requests. Every message is constant.
 */

export const text = v.string('must be a string');

export const filledText = v.pipe(text, v.minLength(1, 'must not be empty'));

/** A token, without white space that was pasted with it: tokens contain none. */
export const pastedToken = v.pipe(text, v.trim(), v.minLength(1, 'must not be empty'));

export const integer = v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer'));
