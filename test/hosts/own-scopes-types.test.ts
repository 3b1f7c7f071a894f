import {
  type Auth,
  type AuthInfo,
  type AuthOptions,
  type BuiltInEvents,
  createAuth,
  type HostClaims,
  type Scope,
  type User,
  type UserStore,
} from '@latchhook/core';
import * as forExpress from '@latchhook/express';
import * as forKoa from '@latchhook/koa';
import { instrument, instrumentParts } from '@latchhook/opentelemetry';
import { describe, expectTypeOf, it } from 'vitest';

type Own = 'billing:read' | 'payout';

const nobody = { findByUsername: async () => null, findById: async () => null };
const options = { issuer: 'https://api.example.com', users: nobody };

/** An app that adds no scopes. */
const createDefaultApp = () => createAuth(options);

/** An app that adds two scopes. */
const createAppWithScopes = () =>
  createAuth({
    ...options,
    scopes: { 'billing:read': { description: 'Read invoices.' }, payout: { stepUp: true } },
    accessTokenClaims: (_user, login) => {
      expectTypeOf(login.scopes).toEqualTypeOf<readonly (Scope | Own)[]>();
      return { plan: 'free' };
    },
  });

// The compiler checks these: a mistake fails `tsc -p test`.
describe('the types of the scopes that an app defines', () => {
  it('are the built-in scopes if the option is not set', () => {
    expectTypeOf<ReturnType<typeof createDefaultApp>>().toEqualTypeOf<Auth>();
  });

  it('are checked by requireAuth and authOf, for Express and for Koa', () => {
    const uses = (auth: ReturnType<typeof createAppWithScopes>) => {
      forExpress.requireAuth(auth, { scope: 'billing:read' });
      forKoa.requireAuth(instrument(auth), { scope: ['user', 'payout'] });
      // @ts-expect-error no scope of this app
      forExpress.requireAuth(auth, { scope: 'billing:raed' });
      // @ts-expect-error no scope of this app
      forKoa.requireAuth(auth, { scope: ['user', 'billing:raed'] });
    };
    expectTypeOf(uses).toBeFunction();
    const guard = (auth: ReturnType<typeof createAppWithScopes>) => forKoa.requireAuth(auth);
    type State = Parameters<ReturnType<typeof guard>>[0]['state'];
    expectTypeOf<State['auth']['scopes']>().toEqualTypeOf<readonly (Scope | Own)[]>();
    type AuthInApp = ReturnType<typeof forExpress.authOf<{ plan: string }, Scope | Own>>;
    expectTypeOf<AuthInApp>().toEqualTypeOf<AuthInfo<{ plan: string }, Scope | Own>>();
  });

  it('are checked by auth.login', () => {
    const uses = async (auth: ReturnType<typeof createAppWithScopes>) => {
      const login = await auth.login('user-7', { amr: ['fed'], scopes: ['billing:read'] });
      if (login.outcome !== 'issued') return;
      expectTypeOf(login.tokens.scopes).toEqualTypeOf<readonly (Scope | Own)[]>();
      // @ts-expect-error no scope of this app
      await auth.login('user-7', { amr: ['fed'], scopes: ['billing:raed'] });
      // @ts-expect-error no scope of an app that adds none
      await createDefaultApp().login('user-7', { amr: ['fed'], scopes: ['billing:read'] });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it('must include the scopes of the user store', () => {
    const uses = (stores: {
      all: UserStore<Scope | Own>;
      some: UserStore<'user' | 'payout'>;
      wrong: UserStore<'billing:raed'>;
    }) => {
      createAuth({
        ...options,
        users: stores.all,
        scopes: { 'billing:read': {}, payout: {} },
      });
      createAuth({ ...options, users: stores.some, scopes: { payout: {} } });
      // @ts-expect-error no scopes of this app
      createAuth({ ...options, users: stores.wrong, scopes: { payout: {} } });
      // @ts-expect-error no scopes of an app that adds none
      createAuth({ ...options, users: stores.all });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it('can be named in the type of options declared elsewhere', () => {
    const uses = (written: AuthOptions<BuiltInEvents, HostClaims, Scope | 'payout'>) =>
      createAuth(written);
    expectTypeOf<ReturnType<typeof uses>>().toEqualTypeOf<
      Auth<BuiltInEvents, HostClaims, Scope | 'payout'>
    >();
  });

  it('have a type error for an unknown option and for a built-in scope', () => {
    const uses = () => {
      // @ts-expect-error a word that there is not
      createAuth({ ...options, scopes: { payout: { stepup: true } } });
      // @ts-expect-error a scope that every app has
      createAuth({ ...options, scopes: { admin: {} } });
    };
    expectTypeOf(uses).toBeFunction();
  });
});

describe('the types of an app with its own scopes, account ids, events and claims', () => {
  const make = (users: UserStore<Scope | 'payout', string>) =>
    createAuth({
      ...options,
      users,
      scopes: { payout: {} },
      accounts: { id: 'string' },
      webhooks: { events: { 'invoice.paid': {} }, worker: false },
      accessTokenClaims: (user, login) => {
        expectTypeOf(user).toEqualTypeOf<User<Scope | 'payout', string>>();
        expectTypeOf(login.accountId).toEqualTypeOf<string | null>();
        return { plan: 'free' };
      },
    });
  const makeInstrumented = (users: UserStore<Scope | 'payout', string>) =>
    createAuth(
      instrumentParts({
        ...options,
        users,
        scopes: { payout: {} },
        accounts: { id: 'string' },
        webhooks: { events: { 'invoice.paid': {} }, worker: false },
        accessTokenClaims: () => ({ plan: 'free' }),
      }),
    );

  it('are inferred through instrumentParts', () => {
    expectTypeOf<ReturnType<typeof makeInstrumented>>().toEqualTypeOf<ReturnType<typeof make>>();
  });

  it('are inferred without instrumentParts', () => {
    const uses = async (auth: ReturnType<typeof make>) => {
      await auth.events.publish('invoice.paid', { accountId: 'acme', data: {} });
      // @ts-expect-error no event of this app
      await auth.events.publish('invoice.due', { accountId: 'acme', data: {} });
      await auth.login('ada', { amr: ['fed'], scopes: ['payout'], accountId: 'acme' });
      forExpress.requireAuth(auth, { scope: 'payout', account: () => 'acme' });
      // @ts-expect-error no scope of this app
      forExpress.requireAuth(auth, { scope: 'billing:raed', account: () => 'acme' });
      // @ts-expect-error an integer for a text
      forKoa.requireAuth(instrument(auth), { scope: 'payout', account: () => 1 });
    };
    expectTypeOf(uses).toBeFunction();
    const guard = (auth: ReturnType<typeof make>) => forKoa.requireAuth(instrument(auth));
    type State = Parameters<ReturnType<typeof guard>>[0]['state'];
    expectTypeOf<State['auth']>().toEqualTypeOf<
      AuthInfo<{ plan: string }, Scope | 'payout', string>
    >();
    type AuthInApp = ReturnType<
      typeof forExpress.authOf<{ plan: string }, Scope | 'payout', string>
    >;
    expectTypeOf<AuthInApp>().toEqualTypeOf<State['auth']>();
    const inferred = (auth: ReturnType<typeof make>) => [
      forExpress.authOf({}, auth),
      forKoa.authOf({ state: {} }, instrument(auth)),
    ];
    expectTypeOf<ReturnType<typeof inferred>[number]>().toEqualTypeOf<State['auth']>();
  });
});
