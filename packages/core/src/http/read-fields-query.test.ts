import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { readQuery } from './read-fields.ts';

const schema = v.object({
  account_id: v.optional(v.pipe(v.number('must be an integer'), v.safeInteger())),
  kind: v.optional(v.picklist(['a', 'b'], 'must be a or b'), 'a'),
});

const readParams = (query: string) => readQuery(schema, query);

function rejection(field: string, message: string) {
  return expect.objectContaining({
    code: 'invalid_request',
    details: { fields: [{ field, message }] },
  });
}

describe('readQuery', () => {
  it('returns the defaults for an empty query', () => {
    expect(readParams('')).toEqual({ kind: 'a' });
  });

  it('converts parameters to the types of their schema', () => {
    expect(readParams('account_id=7&kind=b')).toEqual({ account_id: 7, kind: 'b' });
  });

  it.each(['7.5', '7x', '', '0x7', '1e3', '9'.repeat(17)])('rejects %j as an integer', (value) => {
    expect(() => readParams(`account_id=${value}`)).toThrow(
      rejection('account_id', 'must be an integer'),
    );
  });

  it('rejects an empty parameter instead of applying its default', () => {
    expect(() => readParams('kind=')).toThrow(rejection('kind', 'must be a or b'));
  });

  it('rejects a parameter that is given twice', () => {
    expect(() => readParams('kind=a&kind=a')).toThrow(rejection('kind', 'must be given once'));
  });

  it.each(['utm=1&utm=2', '__proto__=x', 'a&b=%', '%ff=%ff'])(
    'ignores the unknown parameters of %s',
    (query) => {
      expect(readParams(query)).toEqual({ kind: 'a' });
      expect(readQuery(v.strictObject(schema.entries), query)).toEqual({ kind: 'a' });
    },
  );
});
