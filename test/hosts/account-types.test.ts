import { createClient } from '@latchhook/client';
import {
  type AuthOptions,
  createAuth,
  type Scope,
  type User,
  type UserStore,
} from '@latchhook/core';
import { type authOf, requireAuth } from '@latchhook/express';
import { requireAuth as koaRequireAuth } from '@latchhook/koa';
import { instrument, instrumentParts } from '@latchhook/opentelemetry';
import { describe, expectTypeOf, it } from 'vitest';

declare const integers: UserStore;
declare const texts: UserStore<Scope, string>;
const issuer = 'https://api.example.com';

const createIntegerApp = () => createAuth({ issuer, users: integers });
const createTextApp = () => createAuth({ issuer, users: texts, accounts: { id: 'string' } });

// The compiler checks these types: a mistake fails `tsc -p test`.
describe('the type of the account ids of an app', () => {
  it('is number by default', () => {
    const uses = async ({
      events,
      webhooks,
      login,
      bearer,
    }: ReturnType<typeof createIntegerApp>) => {
      await events.publish('Contact.Added', { accountId: 1, data: {} });
      // @ts-expect-error a text for an integer
      await events.publish('Contact.Added', { accountId: 'acme', data: {} });
      // @ts-expect-error a text for an integer
      await webhooks.list('acme');
      // @ts-expect-error a text for an integer
      await login('ada', { amr: ['fed'], accountId: 'acme' });
      requireAuth({ bearer }, { account: () => 1 });
      // @ts-expect-error a text for an integer
      requireAuth({ bearer }, { account: () => 'acme' });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it("is string throughout an app with accounts: { id: 'string' }", () => {
    const uses = async (auth: ReturnType<typeof createTextApp>) => {
      await auth.events.publish('Contact.Added', { accountId: 'acme', data: {} });
      // @ts-expect-error an integer for a text
      await auth.events.publish('Contact.Added', { accountId: 1, data: {} });
      const page = await auth.webhooks.list('acme');
      expectTypeOf(page.items[0]?.accountId).toEqualTypeOf<string | undefined>();
      // @ts-expect-error an integer for a text
      await auth.webhooks.find({ accountId: 1, webhookId: 'wh_1' });
      const login = await auth.login('ada', { amr: ['fed'], accountId: 'acme' });
      if (login.outcome === 'issued') {
        expectTypeOf(login.tokens.accounts).toEqualTypeOf<readonly string[]>();
      }
      // @ts-expect-error an integer for a text
      await auth.login('ada', { amr: ['fed'], accountId: 1 });
      expectTypeOf((await auth.sessions.list('ada'))[0]?.accountId).toEqualTypeOf<
        string | null | undefined
      >();
      auth.securityEvents.subscribe((event) => {
        if (event.type === 'webhook.created') expectTypeOf(event.accountId).toEqualTypeOf<string>();
      });
      requireAuth(auth, { account: (req) => String(req.params['account']) });
      // @ts-expect-error an integer for a text
      requireAuth(auth, { account: () => 1 });
      koaRequireAuth(auth, { account: (ctx) => ctx.params['account'] });
      // @ts-expect-error an integer for a text
      koaRequireAuth(auth, { account: () => 1 });
      type State = Parameters<ReturnType<typeof koaRequireAuthOf>>[0]['state'];
      const koaRequireAuthOf = () => koaRequireAuth(auth);
      expectTypeOf<State['auth']['accounts']>().toEqualTypeOf<readonly string[]>();
      expectTypeOf(instrument(auth)).toEqualTypeOf<typeof auth>();
    };
    expectTypeOf(uses).toBeFunction();
    type Auth = ReturnType<typeof authOf<Record<never, never>, Scope, string>>;
    expectTypeOf<Auth['accountId']>().toEqualTypeOf<string | null>();
  });

  it('must be that of the user store', () => {
    const makes = () => {
      // @ts-expect-error a user store of texts without the option
      createAuth({ issuer, users: texts });
      // @ts-expect-error a user store of integers with the option for texts
      createAuth({ issuer, users: integers, accounts: { id: 'string' } });
      // @ts-expect-error no kind of id
      createAuth({ issuer, users: integers, accounts: { id: 'uuid' } });
      createAuth({
        issuer,
        accounts: { id: 'string' },
        users: {
          findById: async (id) => ({ id, passwordHash: null, accounts: ['acme'] }),
          // @ts-expect-error an integer for a text
          findByUsername: async (id) => ({ id, passwordHash: null, accounts: [1] }),
        },
        accessTokenClaims: (user, { accountId }) => {
          expectTypeOf(user).toEqualTypeOf<User<Scope, string>>();
          expectTypeOf(accountId).toEqualTypeOf<string | null>();
          return {};
        },
      });
    };
    expectTypeOf(makes).toBeFunction();
  });

  it('is inferred from options that another function returns', () => {
    const makes = (options: AuthOptions, ofTexts: ReturnType<typeof optionsOfTexts>) => {
      expectTypeOf(createAuth(options)).toEqualTypeOf<ReturnType<typeof createIntegerApp>>();
      expectTypeOf(createAuth(instrumentParts(options))).toEqualTypeOf<
        ReturnType<typeof createIntegerApp>
      >();
      expectTypeOf(createAuth(instrumentParts(ofTexts))).toEqualTypeOf<
        ReturnType<typeof createTextApp>
      >();
    };
    expectTypeOf(makes).toBeFunction();
  });
});

const optionsOfTexts = () => ({ issuer, users: texts, accounts: { id: 'string' } }) as const;

it('createClient<string> has account ids of type string', () => {
  const uses = async () => {
    const client = createClient<string>({ baseUrl: issuer });
    await client.login({ username: 'ada@example.com', password: 'x', accountId: 'acme' });
    expectTypeOf(client.session()?.accounts).toEqualTypeOf<readonly string[] | undefined>();
    const { data } = await client.request('GET /webhooks', { query: { account_id: 'acme' } });
    expectTypeOf(data[0]?.account_id).toEqualTypeOf<string | undefined>();
    expectTypeOf(data[0]?.event.toUpperCase()).toEqualTypeOf<string | undefined>();
    const { data: tokens } = await client.request('GET /users/self/pats');
    expectTypeOf(tokens[0]?.scopes[0]?.toUpperCase()).toEqualTypeOf<string | undefined>();
    const plain = createClient({ baseUrl: issuer });
    // @ts-expect-error a text for an integer
    await plain.login({ username: 'ada@example.com', password: 'x', accountId: 'acme' });
    await plain.request('GET /webhooks', { query: { account_id: 1 } });
  };
  expectTypeOf(uses).toBeFunction();
});
