import { type AuthInfo, createAuth } from '@latchhook/core';
import * as forExpress from '@latchhook/express';
import * as forKoa from '@latchhook/koa';
import { instrument } from '@latchhook/opentelemetry';
import { expectTypeOf, it } from 'vitest';

/** An interface, which has no index signature. */
interface Claims {
  readonly plan: 'free' | 'pro';
}

const users = { findByUsername: async () => null, findById: async () => null };
const makes = () =>
  createAuth({
    issuer: 'https://api.example.com',
    users,
    accessTokenClaims: (): Claims => ({ plan: 'free' }),
  });

// The compiler checks this: a mistake fails `tsc -p test`.
it('claims may be typed by an interface in createAuth, requireAuth and authOf', () => {
  type Info = AuthInfo<Claims>;
  expectTypeOf<ReturnType<typeof forExpress.authOf<Claims>>>().toEqualTypeOf<Info>();
  expectTypeOf<ReturnType<typeof forKoa.authOf<Claims>>>().toEqualTypeOf<Info>();
  const guard = () => forKoa.requireAuth(instrument(makes()));
  type State = Parameters<ReturnType<typeof guard>>[0]['state'];
  expectTypeOf<State['auth']>().toEqualTypeOf<Info>();
  expectTypeOf(forExpress.requireAuth(makes())).toBeFunction();
});
