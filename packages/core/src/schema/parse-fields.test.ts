import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { listOf } from './basic-fields.ts';
import { type FieldsSchema, parseFields } from './parse-fields.ts';

const entries = {
  name: v.string('must be a string'),
  tags: v.optional(listOf(v.string('must be a string'))),
};
const lenient = v.object(entries);
const strict = v.strictObject(entries);

function rejectedFields(schema: FieldsSchema, fields: Record<string, unknown>): unknown {
  try {
    parseFields(schema, fields);
    return 'none';
  } catch (error) {
    return error instanceof AuthError ? error.details.fields : error;
  }
}

describe('parsing fields', () => {
  it.each([
    ['lenient', lenient],
    ['strict', strict],
  ])('returns the fields of a %s schema', (_, schema) => {
    expect(parseFields(schema, { name: 'a', tags: ['b'] })).toEqual({ name: 'a', tags: ['b'] });
  });

  it.each([
    ['lenient', lenient],
    ['strict', strict],
  ])('names the missing field of a %s schema', (_, schema) => {
    expect(rejectedFields(schema, {})).toEqual([{ field: 'name', message: 'is required' }]);
  });

  it('leaves out fields that a lenient schema does not know', () => {
    expect(parseFields(lenient, { name: 'a', nam: 'b' })).toEqual({ name: 'a' });
  });

  it.each(['nam', 'constructor', 'toString', '__proto__'])(
    'rejects the field %s, which a strict schema does not know',
    (field) => {
      const fields = JSON.parse(`{"name":"a","${field}":"secret"}`);
      expect(rejectedFields(strict, fields)).toEqual([{ field, message: 'is unknown' }]);
    },
  );

  it('ignores inherited properties', () => {
    expect(rejectedFields(lenient, Object.create({ name: 'a' }))).toMatchObject([
      { field: 'name' },
    ]);
    expect(parseFields(strict, Object.assign(Object.create({ nam: 'b' }), { name: 'a' }))).toEqual({
      name: 'a',
    });
  });

  it('names the first invalid item of a list, and stops there', () => {
    const checked: unknown[] = [];
    const item = v.custom<string>((value) => {
      checked.push(value);
      return value === 'a';
    }, 'must be a');
    const schema = v.object({ tags: listOf(item), name: v.string('must be a string') });
    expect(rejectedFields(schema, { tags: ['a', 1, ...Array(8_000).fill(2)] })).toEqual([
      { field: 'tags.1', message: 'must be a' },
      { field: 'name', message: 'is required' },
    ]);
    expect(checked).toEqual(['a', 1]);
  });

  it('names all invalid fields', () => {
    expect(rejectedFields(lenient, { name: 1, tags: 'b' })).toEqual([
      { field: 'name', message: 'must be a string' },
      { field: 'tags', message: 'must be an array' },
    ]);
  });
});
