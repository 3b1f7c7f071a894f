import { inProcessWorker } from '@latchhook/delivery';
import { verifyWebhook } from '@latchhook/receiver';
import { type FakeReceiver, startFakeReceiver } from '@latchhook/testkit';
import * as v from 'valibot';
import { expect, it, onTestFinished, vi } from 'vitest';
import { scopePath, withTextAccounts } from '../support/apps/app-listeners.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/apps/test-app.ts';
import { OWN, openCookiePage } from '../support/clients/cookie-page.ts';
import { makePat } from '../support/clients/pat-calls.ts';
import { ACME, NAMES, UUID, withAccounts } from '../support/clients/text-accounts.ts';
import {
  errorOf,
  get,
  logIn,
  refresh,
  revoke,
  session,
  tokensOf,
} from '../support/clients/token-calls.ts';
import { bodyOf, callsOf, callsWith, register } from '../support/clients/webhook-calls.ts';
import { cellsOn, describeCells } from '../support/storage/in-every-cell.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const plans = new Map([['ada', 'free']]);

/** An app with its own scopes, events, claims and accounts; cast, because all test apps have the same type. */
const options = {
  userStore: (users) => withAccounts(users, (id) => NAMES[id]),
  auth: {
    accounts: { id: 'string' },
    scopes: {
      'billing:read': { description: 'Read invoices.' },
      'billing:write': { sensitive: true },
      payout: { stepUp: true },
    },
    accessTokenClaims: async ({ id }: { id: string }, login: { accountId: string | null }) => ({
      plan: plans.get(id) ?? 'none',
      billed: login.accountId,
    }),
    cookies: true,
    webhooks: {
      worker: inProcessWorker(),
      allowHttp: true,
      allowPrivateAddresses: true,
      events: {
        'invoice.paid': { schema: v.object({ cents: v.number() }) },
        'security.session_reused': { securityEvent: 'session.reused' },
      },
    },
  },
} as Pick<TestAppOptions, 'userStore'> & { auth: object } as TestAppOptions;

const ALL = 'user,billing:read,billing:write,payout';
const tenantPath = (account: string) => `/tenants/${encodeURIComponent(account)}`;
const query = (account: string) => `?account_id=${encodeURIComponent(account)}`;

function claimsIn(accessToken: string) {
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
}

async function statusOf(app: TestApp, path: string, token: string): Promise<number> {
  return (await get(app, path, token)).status;
}

/** The verified events that the receiver has got. */
function verified(app: TestApp, receiver: FakeReceiver, secret: string) {
  return receiver.received().map(({ headers, body }) => {
    const result = verifyWebhook({ secret, headers, body, atMs: app.clock.nowMs() });
    return result.outcome === 'verified' ? result.webhook : result;
  });
}

describeCells(cellsOn(['memory', 'redis']), (cell) => {
  async function start() {
    const app = await startTestApp(cell, options);
    onTestFinished(async () => {
      await app.auth.close();
      app.stop();
    });
    const scopes = ['user', 'admin', 'auth', 'internal', ...ALL.split(',').slice(1)];
    app.users.change('ada', { scopes: scopes as never });
    plans.set('ada', 'free');
    return app;
  }

  it('an app with its own account ids, scopes and claims keeps them through refreshes', async () => {
    const app = await start();
    const login = await session(app, 'ada', { account_id: ACME, scopes: ALL });
    expect(login).toMatchObject({ scope: ALL.replaceAll(',', ' '), expires_in: 600 });
    expect(login.accounts).toEqual([ACME, UUID]);
    const bound = { accounts: [ACME], account_id: ACME, billed: ACME };
    expect(claimsIn(login.access_token)).toMatchObject({ ...bound, plan: 'free' });

    plans.set('ada', 'pro');
    const refreshed = tokensOf(await refresh(app, login.refresh_token));
    expect(refreshed.scope).toBe('user billing:read billing:write');
    expect(claimsIn(refreshed.access_token)).toMatchObject({ ...bound, plan: 'pro' });

    const free = await session(app, 'ada', { scopes: ALL });
    const fields = { account_id: UUID, scopes: 'billing:read' };
    const other = tokensOf(await refresh(app, free.refresh_token, fields));
    expect(other).toMatchObject({ scope: 'billing:read', accounts: [ACME, UUID] });
    expect(claimsIn(other.access_token)).toMatchObject({ account_id: UUID, billed: UUID });
  });

  it('an app with its own account ids and scopes guards its routes by them', async () => {
    const app = await start();
    const { access_token } = await session(app, 'ada', { account_id: UUID, scopes: ALL });
    const { access_token: reads } = await session(app, 'ada', { scopes: 'user,billing:read' });
    for (const scope of ['billing:read', 'billing:write', 'payout']) {
      expect(await statusOf(app, scopePath(scope), access_token)).toBe(200);
    }
    expect(await statusOf(app, scopePath('billing:write'), reads)).toBe(403);
    expect(await statusOf(app, tenantPath(UUID), access_token)).toBe(200);
    expect(await statusOf(app, tenantPath(ACME), access_token)).toBe(403);
    expect(await statusOf(app, tenantPath(ACME), reads)).toBe(200);
    expect(JSON.parse((await get(app, '/me', access_token)).body)).toMatchObject({
      accountId: UUID,
      claims: { plan: 'free', billed: UUID },
    });
    await revoke(app, access_token);
    expect(await statusOf(app, scopePath('billing:write'), access_token)).toBe(401);
  });

  it('an app with text account ids rejects an integer as malformed', async () => {
    const app = await start();
    const { access_token, refresh_token } = await session(app);
    const errors = [
      {
        field: 'account_id',
        message: 'must be a string of 1 to 64 visible ASCII characters',
      },
    ];
    const fields = { account_id: 1 };
    expect(errorOf(await logIn(app, 'ada', fields)).errors).toEqual(errors);
    expect(errorOf(await refresh(app, refresh_token, fields)).errors).toEqual(errors);
    const calls = await callsOf(app, 'ada', { scopes: 'auth' });
    const pat = await calls.send('POST', '/users/self/pats', {
      name: 'a script',
      scopes: ['user'],
      account_id: 1,
    });
    expect(errorOf(pat).errors).toEqual(errors);
    expect(await statusOf(app, '/webhooks?account_id=1', access_token)).toBe(403);
    // A route that wrongly converts the account id to an integer.
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    for (const path of ['/accounts/1', '/accounts/2']) {
      expect(await statusOf(app, path, access_token)).toBe(403);
    }
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining("accounts: { id: 'integer' }"), expect.anything()],
    ]);
    expect(app.events.filter(({ type }) => type === 'fault')).toEqual([]);
  });

  it('an app with its own events delivers them to a webhook that a script registered', async () => {
    const app = await start();
    const receiver = await startFakeReceiver();
    onTestFinished(() => receiver.close());
    const manager = await callsOf(app, 'ada', { account_id: ACME, scopes: 'user,auth' });
    const { token } = await makePat(manager, {
      scopes: ['user', 'billing:read'],
      account_id: ACME,
    });
    expect(await statusOf(app, scopePath('billing:read'), token)).toBe(200);
    expect(await statusOf(app, scopePath('payout'), token)).toBe(403);
    const stepUp = { name: 'a script', scopes: ['payout'] };
    expect((await manager.send('POST', '/users/self/pats', stepUp)).status).toBe(400);

    const script = callsWith(app, token);
    const { secret } = await register(script, { event: 'invoice.paid', url: receiver.url });
    const { publish } = withTextAccounts(app.auth).events as unknown as {
      publish(event: string, message: object): Promise<unknown>;
    };
    for (const accountId of [UUID, ACME]) {
      await publish('invoice.paid', { accountId, data: { cents: 7, more: 'no part of it' } });
    }
    expect(await app.auth.drainDeliveries({ deadlineMs: PATIENT_MS })).toEqual({
      outcome: 'drained',
    });
    expect(verified(app, receiver, secret)).toMatchObject([
      { type: 'invoice.paid', account_id: ACME, data: { cents: 7 } },
    ]);
  });

  it('an app with its own vocabulary serves pages by cookies and publishes a reuse event', async () => {
    const app = await start();
    const receiver = await startFakeReceiver();
    onTestFinished(() => receiver.close());
    const page = openCookiePage(app.send);
    const response = await page.logIn('ada', { account_id: ACME, scopes: 'user,billing:write' });
    const about = { accounts: [ACME, UUID], scope: 'user billing:write' };
    expect(JSON.parse(response.body)).toMatchObject(about);
    expect((await page.send('GET', scopePath('billing:write'))).status).toBe(200);
    expect((await page.send('GET', tenantPath(ACME))).status).toBe(200);
    const registered = await page.send('POST', `/webhooks${query(ACME)}`, {
      event: 'security.session_reused',
      url: receiver.url,
    });
    const { data } = bodyOf<{ data: { secret: string; account_id: string } }>(registered, 201);
    expect(data.account_id).toBe(ACME);

    const stolen = new Map(page.jar);
    for (let i = 0; i < 2; i += 1) {
      expect(JSON.parse((await page.refresh()).body)).toMatchObject(about);
    }
    page.jar.clear();
    for (const [name, value] of stolen) page.jar.set(name, value);
    expect((await page.refresh()).status).toBe(400);
    expect((await page.send('GET', scopePath('billing:write'), undefined, OWN)).status).toBe(401);
    await app.auth.drainDeliveries({ deadlineMs: PATIENT_MS });
    expect(verified(app, receiver, data.secret)).toMatchObject([
      { type: 'security.session_reused', account_id: ACME, data: { user_id: 'ada' } },
    ]);
  });
});
