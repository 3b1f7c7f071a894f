import { expect } from 'vitest';
import { errorOf, putJson, refresh, session, tokensOf } from '../support/clients/token-calls.ts';
import { V1_FIELDS } from '../support/clients/token-fields.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

inEveryCell('PUT /token', (test) => {
  test('refreshes, in version v1 by default', async (app) => {
    const { refresh_token } = await session(app);
    const response = await putJson(app, '/token', { refresh_token });
    expect(Object.keys(tokensOf(response))).toEqual(V1_FIELDS);
  });

  test('supports version v2 and rejects v3', async (app) => {
    const { refresh_token } = await session(app);
    const v2 = tokensOf(await putJson(app, '/token?version=v2', { refresh_token }));
    expect(v2).toMatchObject({ scope: 'user', refresh_expires_in: 2_592_000 });
    const v3 = await putJson(app, '/token?version=v3', { refresh_token });
    expect(errorOf(v3).error).toBe('invalid_request');
  });

  test('returns the same successor as POST, and detects reuse', async (app) => {
    const first = await session(app);
    const put = tokensOf(await putJson(app, '/token', { refresh_token: first.refresh_token }));
    const post = tokensOf(await refresh(app, first.refresh_token));
    expect(put.refresh_token).toBe(post.refresh_token);
    app.clock.advance(GRACE_MS + SECOND_MS);
    const reused = await putJson(app, '/token', { refresh_token: first.refresh_token });
    expect(errorOf(reused).error).toBe('invalid_grant');
    const successor = await putJson(app, '/token', { refresh_token: put.refresh_token });
    expect(errorOf(successor).error).toBe('invalid_grant');
  });

  test('requires a refresh_token', async (app) => {
    for (const refresh_token of [undefined, null, 1, '']) {
      const error = errorOf(await putJson(app, '/token', { refresh_token }));
      expect(error).toMatchObject({
        error: 'invalid_request',
        errors: [{ field: 'refresh_token' }],
      });
    }
  });

  test('accepts only the grant refresh_token', async (app) => {
    const { refresh_token } = await session(app);
    const named = await putJson(app, '/token', { grant_type: 'refresh_token', refresh_token });
    expect(named.status).toBe(200);
    for (const grant_type of ['password', 'other', '']) {
      const response = await putJson(app, '/token', { grant_type, refresh_token });
      expect(errorOf(response).error).toBe('unsupported_grant_type');
    }
    const mistyped = await putJson(app, '/token', { grant_type: null, refresh_token });
    expect(errorOf(mistyped).error).toBe('invalid_request');
  });

  test('applies expiration_seconds as POST does', async (app) => {
    const { refresh_token } = await session(app);
    const fields = { refresh_token, expiration_seconds: 600 };
    expect(tokensOf(await putJson(app, '/token', fields)).expires_in).toBe(600);
    for (const expiration_seconds of [599, '600', null, 600.5]) {
      const response = await putJson(app, '/token', { refresh_token, expiration_seconds });
      expect(errorOf(response).error).toBe('invalid_request');
    }
  });

  test('has Deprecation and Link headers, even in errors', async (app) => {
    const { refresh_token } = await session(app);
    for (const body of [{ refresh_token }, { refresh_token: 'x' }, 'no JSON']) {
      const { headers } = await putJson(app, '/token', body);
      // RFC 9745 2.1: a structured-field date.
      expect(headers['deprecation']).toMatch(/^@\d+$/);
      expect(headers['link']).toBe('</token>; rel="successor-version"');
      expect(headers['sunset']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
    }
    const post = await refresh(app, refresh_token);
    expect(post.headers).not.toHaveProperty('deprecation');
  });

  test(
    'has a Sunset header if the host has set a date',
    async (app) => {
      const { headers } = await putJson(app, '/token', { refresh_token: 'x' });
      expect(headers['deprecation']).toBe('@1788220800');
      expect(headers['sunset']).toBe('Thu, 01 Jul 2027 00:00:00 GMT');
    },
    {
      auth: {
        putTokenDeprecation: {
          since: new Date('2026-09-01T00:00:00Z'),
          sunset: new Date('2027-07-01T00:00:00Z'),
        },
      },
    },
  );

  test(
    'has a Link to its successor below the mount path',
    async (app) => {
      const { headers } = await putJson(app, '/token', { refresh_token: 'x' });
      expect(headers['link']).toBe('</api/auth/token>; rel="successor-version"');
    },
    { mountPath: '/api/auth' },
  );

  test(
    'has a Link to its successor under baseUrl',
    async (app) => {
      const { headers } = await putJson(app, '/token', { refresh_token: 'x' });
      expect(headers['link']).toBe('<https://api.example.com/auth/token>; rel="successor-version"');
    },
    { auth: { baseUrl: 'https://api.example.com/auth' } },
  );
});
