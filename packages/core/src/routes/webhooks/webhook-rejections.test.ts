import { describe, expect, it } from 'vitest';
import { assertKnown, foundOrRejected, rejectionOf } from './webhook-rejections.ts';

describe('the rejection of a webhook request', () => {
  it('has an error for each outcome of the registry', () => {
    expect(rejectionOf({ outcome: 'unknown' })).toMatchObject({ code: 'not_found' });
    expect(rejectionOf({ outcome: 'limit_reached' })).toMatchObject({ code: 'limit_reached' });
    const fields = [{ field: 'url', message: 'must be an https URL' }];
    expect(rejectionOf({ outcome: 'rejected', fields })).toMatchObject({
      code: 'invalid_request',
      details: { fields },
    });
  });

  it('is not_found if there is no such webhook or delivery', () => {
    expect(foundOrRejected('a webhook')).toBe('a webhook');
    expect(() => foundOrRejected(null)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => assertKnown(true)).not.toThrow();
    expect(() => assertKnown(false)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
