import {
  type AccessTokenClaims,
  type AuthInfo,
  type AuthOptions,
  type BuiltInEvents,
  createAuth,
  type HostClaims,
} from '@latchhook/core';
import * as forExpress from '@latchhook/express';
import * as forKoa from '@latchhook/koa';
import { instrument, instrumentParts } from '@latchhook/opentelemetry';
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

const issuer = 'https://api.example.com';
const authOf = <C extends object>(accessTokenClaims: AccessTokenClaims<C>) =>
  createAuth({ issuer, users, accessTokenClaims });

/** Claims that are optional, so that no property of this type is required. */
interface OptionalClaims {
  readonly plan?: 'free' | 'pro';
}

it('claims may be of any type without reserved names, also if a function returns a promise', () => {
  const makes = (written: AuthOptions<BuiltInEvents, Claims>, isPro: boolean) => [
    createAuth(written),
    createAuth(instrumentParts(written)),
    createAuth({
      issuer,
      users,
      accessTokenClaims: async (): Promise<Claims> => ({ plan: 'pro' }),
    }),
    createAuth({ issuer, users, accessTokenClaims: async (): Promise<OptionalClaims> => ({}) }),
    createAuth({ issuer, users, accessTokenClaims: (): HostClaims => ({}) }),
    createAuth({ issuer, users, accessTokenClaims: async (): Promise<HostClaims> => ({}) }),
    createAuth({ issuer, users, accessTokenClaims: (): object => ({}) }),
    createAuth({ issuer, users, accessTokenClaims: () => (isPro ? { plan: 'pro' } : {}) }),
    authOf(() => ({ plan: 'pro' })),
  ];
  expectTypeOf(makes).toBeFunction();
  const inferred = () =>
    createAuth({ issuer, users, accessTokenClaims: async () => ({ seats: 1 }) });
  type State = Parameters<ReturnType<typeof guardOf>>[0]['state'];
  const guardOf = () => forKoa.requireAuth(inferred());
  expectTypeOf<State['auth']>().toEqualTypeOf<AuthInfo<{ seats: number }>>();
});

it('claims have a type error for a reserved name', () => {
  const makes = (written: AuthOptions<BuiltInEvents, { exp: number }>, isPro: boolean) => [
    // @ts-expect-error a reserved name
    createAuth({ issuer, users, accessTokenClaims: () => ({ sub: 'ada' }) }),
    // @ts-expect-error a reserved name
    createAuth({ issuer, users, accessTokenClaims: async () => ({ plan: 'pro', scope: 'admin' }) }),
    // @ts-expect-error a reserved name
    createAuth({ issuer, users, accessTokenClaims: () => (isPro ? { plan: 'pro' } : { aud: '' }) }),
    // @ts-expect-error a reserved name
    createAuth(instrumentParts({ issuer, users, accessTokenClaims: () => ({ sid: '' }) })),
    // @ts-expect-error a reserved name
    createAuth(written),
  ];
  expectTypeOf(makes).toBeFunction();
});
