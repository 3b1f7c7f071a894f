import { describe, expect, it } from 'vitest';
import { assertKnown, foundOrRefused, refusalOf } from './webhook-refusals.ts';

describe('what is answered where an account cannot have a webhook so', () => {
  it('is an error for each outcome of the registry', () => {
    expect(refusalOf({ outcome: 'unknown' })).toMatchObject({ code: 'not_found' });
    expect(refusalOf({ outcome: 'limit_reached' })).toMatchObject({ code: 'limit_reached' });
    const fields = [{ field: 'url', message: 'must be an https URL' }];
    expect(refusalOf({ outcome: 'refused', fields })).toMatchObject({
      code: 'invalid_request',
      details: { fields },
    });
  });

  it('is not found where there is no such webhook or delivery', () => {
    expect(foundOrRefused('a webhook')).toBe('a webhook');
    expect(() => foundOrRefused(null)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => assertKnown(true)).not.toThrow();
    expect(() => assertKnown(false)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
