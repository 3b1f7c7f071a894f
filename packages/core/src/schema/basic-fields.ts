import * as v from 'valibot';

/*
 * Schemas for the fields of requests. Every message is constant.
 */

export const text = v.string('must be a string');

export const filledText = v.pipe(text, v.minLength(1, 'must not be empty'));

/** A token, without the white space that is pasted with it: no token of ours contains any. */
export const pastedToken = v.pipe(text, v.trim(), v.minLength(1, 'must not be empty'));

export const integer = v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer'));
