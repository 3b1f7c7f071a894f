import { describe, expect, it } from 'vitest';
import { assertFound, rejectionOf, requireFound } from './webhook-rejections.ts';

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

  it('is not_found if the webhook or the delivery does not exist', () => {
    expect(requireFound('a webhook')).toBe('a webhook');
    expect(() => requireFound(null)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => assertFound(true)).not.toThrow();
    expect(() => assertFound(false)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
