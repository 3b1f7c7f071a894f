import { generateSync } from 'otplib';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type AppClient, tokensOf } from '../support/apps/app-client.ts';
import { preparedFolder } from '../support/apps/prepared-folder.ts';
import { type Settings, startWithSharedIssuer } from '../support/apps/start-app.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';

/** A URL at which nothing listens. */
const NOWHERE = 'http://127.0.0.1:1/hooks';

const openFolder = preparedFolder();

async function openDatabase(): Promise<Settings> {
  const programs = await findPostgresServer();
  if (programs === undefined) throw new Error('no PostgreSQL, although the run has one');
  const server = await startPostgresServer(programs);
  onTestFinished(() => server.stop());
  return { DATABASE_URL: server.url };
}

async function publish(client: AppClient, nth: number): Promise<string> {
  const json = { event: 'Contact.Added', account_id: 1, data: { nth } };
  const { status, body } = await client.send('POST', '/demo/events', { json });
  expect([status, body['deliveries']]).toEqual([202, 1]);
  return String(body['id']);
}

const places = [
  { place: 'a folder', name: 'express-starter', open: openFolder, isThere: true },
  {
    place: 'PostgreSQL',
    name: 'koa-starter',
    open: openDatabase,
    isThere: inject('postgresUrl') !== null,
  },
];

for (const { place, name, open, isThere } of places) {
  describe.runIf(isThere)(`the ${name} on ${place}`, () => {
    it('keeps logins, tokens, factors, webhooks and due deliveries across kill -9 and SIGTERM', async () => {
      const settings = await open();
      const before = await startWithSharedIssuer(name, settings);
      // A session that goes on, one that is revoked, and a user with a token, a webhook and a factor.
      const session = tokensOf(await before.client.login('alan@example.com'));
      const ended = tokensOf(await before.client.login('ada@example.com', { scopes: 'admin' }));
      await before.client.revoke(ended.refreshToken);
      const login = await before.client.login('ada@example.com', { scopes: 'user,auth' });
      const bearer = tokensOf(login).accessToken;
      const post = (path: string, json: object) =>
        before.client.send('POST', path, { bearer, json });
      const pat = await post('/users/self/pats', {
        name: 'export',
        scopes: ['user'],
        expiration_seconds: 3600,
      });
      const webhook = await post('/webhooks', { event: 'Contact.Added', url: NOWHERE });
      const published = await publish(before.client, 1);
      const path = `/webhooks/${webhook.body['id']}`;
      const failedAttempts = async () => {
        const { body } = await before.client.send('GET', `${path}/deliveries`, { bearer });
        const [delivery] = body['data'] as readonly { readonly attempts: readonly unknown[] }[];
        return delivery?.attempts.length;
      };
      // The delivery waits for its retry.
      await expect.poll(failedAttempts).toBe(1);
      const enrolment = await post('/users/self/mfa/totp', {});
      const code = generateSync({ secret: String(enrolment.body['secret']) });
      const enrolled = await post('/users/self/mfa/totp/confirm', { code });
      const [recoveryCode = ''] = enrolled.body['recovery_codes'] as readonly string[];

      const receiver = await startCountingReceiver();
      const { url } = receiver;
      await before.client.send('PATCH', path, { bearer, json: { url } });
      await before.app.kill9();
      expect(receiver.arrivals.size).toBe(0);
      const { app, client } = await startWithSharedIssuer(name, settings);
      await receiver.untilDistinct(1);
      expect([...receiver.arrivals.keys()]).toEqual([published]);
      expect((await client.me(session.accessToken)).status).toBe(200);
      expect((await client.refresh(session.refreshToken)).status).toBe(200);
      expect((await client.adminReport(ended.accessToken)).status).toBe(401);
      expect((await client.refresh(ended.refreshToken)).status).toBe(400);
      expect((await client.me(String(pat.body['token']))).body).toMatchObject({ user: 'ada' });
      const webhookAfter = await client.send('GET', path, { bearer });
      expect(webhookAfter.body['data']).toMatchObject({ event: 'Contact.Added', url });
      const pending = await client.login('ada@example.com');
      expect(pending.body['error']).toBe('mfa_required');
      tokensOf(await client.answerChallenge(String(pending.body['challenge']), recoveryCode));

      // After SIGTERM, the recovery code is still used up.
      await app.stop();
      const { client: again } = await startWithSharedIssuer(name, settings);
      expect((await again.me(session.accessToken)).status).toBe(200);
      const used = await again.login('ada@example.com');
      const response = await again.answerChallenge(String(used.body['challenge']), recoveryCode);
      expect(response.body['error']).toBe('invalid_grant');
    });
  });
}

describe('a starter with a folder and REDIS_URL', () => {
  it('keeps webhooks in the folder when Redis loses its data', async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const settings = { ...(await openFolder()), REDIS_URL: redis.url };
    const { client } = await startWithSharedIssuer('koa-starter', settings);
    const { accessToken: bearer, refreshToken } = tokensOf(await client.login('ada@example.com'));
    const webhook = await client.send('POST', '/webhooks', {
      bearer,
      json: { event: 'Contact.Added', url: NOWHERE },
    });
    // This Redis persists nothing.
    await redis.restart();
    const refreshed = async () => (await client.refresh(refreshToken)).status;
    await expect.poll(refreshed).toBe(400);
    const again = tokensOf(await client.login('ada@example.com')).accessToken;
    const path = `/webhooks/${webhook.body['id']}`;
    expect((await client.send('GET', path, { bearer: again })).status).toBe(200);
    const receiver = await startCountingReceiver();
    await client.send('PATCH', path, { bearer: again, json: { url: receiver.url } });
    await publish(client, 1);
    await receiver.untilDistinct(1);
  });
});
