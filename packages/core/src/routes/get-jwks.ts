import * as v from 'valibot';
import { publicJsonResponse } from '../http/json-response.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { named } from '../schema/named.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';

/** Short compared to the time for which a key should be published before it signs. */
const MAX_AGE_SECONDS = 300;

/** `GET /.well-known/jwks.json` (RFC 7517): every key that verifies, including those that do not sign yet. */
export function getJwks(keys: SigningKeys): Route {
  return defineRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'getJwks',
    summary: 'The public keys of access tokens',
    answers: {
      200: {
        description: 'A JWK set.',
        schema: named('JwkSet', v.object({ keys: v.array(v.record(v.string(), v.unknown())) })),
        maxAgeSeconds: MAX_AGE_SECONDS,
      },
    },
    handle: () => publicJsonResponse(keys.publicJwks(), MAX_AGE_SECONDS),
  });
}
