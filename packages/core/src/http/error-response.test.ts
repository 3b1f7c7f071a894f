import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { errorResponse } from './error-response.ts';

describe('errorResponse', () => {
  it('closes the connection of a body that was given up on, as the rest of it is no request', () => {
    const { status, headers } = errorResponse(new AuthError('body_timeout', 'Too late.'));
    expect([status, headers['connection']]).toEqual([408, 'close']);
  });

  it.each(['invalid_request', 'body_too_large', 'server_error'] as const)(
    'leaves the connection of %s open',
    (code) => {
      expect(errorResponse(new AuthError(code, 'No.')).headers).not.toHaveProperty('connection');
    },
  );
});
