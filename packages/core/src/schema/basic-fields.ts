import * as v from 'valibot';

/*
 * Schemas for the fields of requests. Every message is constant.
 */

export const text = v.string('must be a string');

export const filledText = v.pipe(text, v.minLength(1, 'must not be empty'));

/** A token, without white space that was pasted with it: tokens contain none. */
export const pastedToken = v.pipe(text, v.trim(), v.minLength(1, 'must not be empty'));

export const integer = v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer'));

/**
 * A list of a request. Stops at the first wrong item: otherwise a small request could take a long time, and cause a
 * response of many times its size.
 */
export function listOf<TItem extends v.GenericSchema>(item: TItem): v.ArraySchema<TItem, string> {
  const schema = v.array(item, 'must be an array');
  return {
    ...schema,
    '~run': (dataset, config) => schema['~run'](dataset, { ...config, abortEarly: true }),
  };
}
