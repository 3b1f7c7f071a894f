import { expect, onTestFinished } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import { handDelivery } from '../support/hand-delivery.ts';
import { inEveryCell } from '../support/in-every-cell.ts';
import { storageSwitch } from '../support/storage-switch.ts';
import type { TestApp } from '../support/test-app.ts';
import { errorOf, JSON_TYPE, revoke, session } from '../support/token-calls.ts';
import {
  bodyOf,
  callsOf,
  type ListBody,
  NEW_WEBHOOK,
  OPERATIONS,
  register,
  type UserCalls,
  type WebhookBody,
} from '../support/webhook-calls.ts';

const shared = { auth: { webhooks: { delivery: handDelivery() } } };

const BAD_TOKEN =
  'Bearer error="invalid_token", error_description="The access token is malformed, expired, revoked or not valid here."';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

/** Every operation there is, those on one webhook on this one. */
function operationsOn(id: string, query: string = ''): readonly Operation[] {
  return [
    { method: 'POST', path: `/webhooks${query}`, body: NEW_WEBHOOK },
    { method: 'GET', path: `/webhooks${query}` },
    ...OPERATIONS.map(([method, below, body]) => ({
      method,
      path: `/webhooks/${id}${below}${query}`,
      body,
    })),
  ];
}

async function sendAll(
  calls: UserCalls,
  operations: readonly Operation[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const { method, path, body } of operations) {
    answers.push(await calls.send(method, path, body));
  }
  return answers;
}

function withHeaders(app: TestApp, { method, path, body }: Operation, headers: readonly string[]) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return app.send({
    method,
    path,
    headers: text === undefined ? headers : [...JSON_TYPE, ...headers],
    ...(text === undefined ? {} : { body: text }),
  });
}

function bearer(...tokens: readonly string[]): readonly string[] {
  return tokens.flatMap((token) => ['authorization', `Bearer ${token}`]);
}

inEveryCell(
  'a webhook route',
  (claim) => {
    claim('asks for a token, with a challenge that has no error code', async (app) => {
      for (const operation of operationsOn('wh_x')) {
        for (const headers of [[], ['authorization', 'Basic YTpi']]) {
          const answer = await withHeaders(app, operation, headers);
          expect(errorOf(answer, 401).error).toBe('invalid_token');
          expect(answer.headers['www-authenticate']).toBe('Bearer');
          expect(answer.headers['cache-control']).toBe('no-store');
        }
      }
    });

    claim('refuses what is no access token of ours, and two at once', async (app) => {
      const { access_token, refresh_token } = await session(app);
      for (const operation of operationsOn('wh_x')) {
        for (const headers of [
          bearer('x.y.z'),
          bearer(refresh_token),
          bearer(access_token, access_token),
          bearer(access_token, 'x'),
          bearer('x', access_token),
          ['authorization', 'Bearer'],
        ]) {
          const answer = await withHeaders(app, operation, headers);
          expect(errorOf(answer, 401).error).toBe('invalid_token');
          expect(answer.headers['www-authenticate']).toBe(BAD_TOKEN);
        }
      }
    });

    claim(
      'looks at nothing that a stranger has sent, and says only that it is there',
      async (app) => {
        const expected = await app.send({ method: 'GET', path: '/webhooks' });
        for (const request of [
          { method: 'POST', path: '/webhooks', headers: JSON_TYPE, body: '{' },
          { method: 'POST', path: '/webhooks', headers: JSON_TYPE, body: 'x'.repeat(20_000) },
          { method: 'POST', path: '/webhooks', headers: ['content-type', 'text/plain'], body: 'x' },
          { method: 'POST', path: '/webhooks?account_id=x', headers: JSON_TYPE, body: '{}' },
          { method: 'GET', path: '/webhooks?limit=x' },
          { method: 'GET', path: '/webhooks/..%2f' },
          { method: 'GET', path: `/webhooks/${'x'.repeat(200)}` },
        ]) {
          const answer = await app.send(request);
          expect([answer.status, answer.body]).toEqual([401, expected.body]);
        }
      },
    );

    claim('needs the scope user', async (app) => {
      const calls = await callsOf(app, 'ada', { scopes: 'admin,internal' });
      for (const answer of await sendAll(calls, operationsOn('wh_x'))) {
        expect(errorOf(answer, 403).error).toBe('insufficient_scope');
        expect(answer.headers['www-authenticate']).toBe(
          'Bearer error="insufficient_scope", scope="user"',
        );
      }
    });

    claim('closes with the session, at once', async (app) => {
      const { access_token } = await session(app);
      const list = { method: 'GET', path: '/webhooks', headers: bearer(access_token) };
      expect((await app.send(list)).status).toBe(200);
      await revoke(app, access_token);
      const answer = await app.send(list);
      expect(errorOf(answer, 401).error).toBe('invalid_token');
      expect(answer.headers['www-authenticate']).toBe(BAD_TOKEN);
    });

    claim('says which methods its path has, to whomever asks', async (app) => {
      for (const [path, allow] of Object.entries({
        '/webhooks': 'POST, GET, HEAD',
        '/webhooks/wh_x': 'GET, HEAD, PATCH, DELETE',
        '/webhooks/..%2f': 'GET, HEAD, PATCH, DELETE',
        '/webhooks/wh_x/secret': 'POST',
        '/webhooks/wh_x/ping': 'POST',
        '/webhooks/wh_x/deliveries': 'GET, HEAD',
        '/webhooks/wh_x/deliveries/msg_x/resend': 'POST',
        '/webhooks/wh_x/enable': 'POST',
        '/webhooks/wh_x/recover': 'POST',
      })) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          if (allow.split(', ').includes(method)) continue;
          const answer = await app.send({ method, path });
          expect(errorOf(answer, 405).error).toBe('invalid_request');
          expect(answer.headers['allow']).toBe(allow);
        }
      }
    });

    claim('leaves all other paths to the host', async (app) => {
      for (const path of [
        '/webhook',
        '/webhooks/',
        '/Webhooks',
        '/webhooks/wh_x/',
        '/webhooks/wh_x/pings',
        '/webhooks//ping',
        '/webhooks/wh_x/deliveries/msg_x',
        '/webhooks/wh_x/deliveries//resend',
        '/webhooks/wh_x/ping/x',
        '/%77ebhooks',
      ]) {
        const answer = await app.send({ method: 'GET', path });
        expect(answer.status, path).toBe(404);
        expect(answer.headers['pragma'], path).toBeUndefined();
      }
    });

    claim('forbids storing whatever it answers', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      for (const of of [id, 'wh_unknown', '..%2f']) {
        for (const answer of await sendAll(calls, operationsOn(of))) {
          expect(answer.headers['cache-control']).toBe('no-store');
        }
      }
    });
  },
  shared,
);

inEveryCell(
  'the account of a webhook request',
  (claim) => {
    const ownerOf = async (calls: UserCalls, query: string = '') =>
      (await register(calls, {}, query)).account_id;

    claim('is the one asked for, else that of the token, else the first', async (app) => {
      const free = await callsOf(app);
      expect(await ownerOf(free)).toBe(1);
      expect(await ownerOf(free, '?account_id=2')).toBe(2);
      const bound = await callsOf(app, 'ada', { account_id: 2 });
      expect(await ownerOf(bound)).toBe(2);
      expect(await ownerOf(bound, '?account_id=2')).toBe(2);
      const { data }: ListBody<WebhookBody> = bodyOf(await bound.send('GET', '/webhooks'), 200);
      expect(data.map(({ account_id }) => account_id)).toEqual([2, 2, 2]);
    });

    claim('is refused where it is not the user’s, or another than the bound one', async (app) => {
      const free = await callsOf(app);
      const bound = await callsOf(app, 'ada', { account_id: 2 });
      app.users.change('alan', { accounts: [] });
      const none = await callsOf(app, 'alan');
      for (const [calls, query] of [
        [free, '?account_id=3'],
        [free, '?account_id=9007199254740991'],
        [bound, '?account_id=1'],
        [none, ''],
        [none, '?account_id=1'],
      ] as const) {
        for (const answer of await sendAll(calls, operationsOn('wh_x', query))) {
          expect(errorOf(answer, 403).error).toBe('access_denied');
          expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
        }
      }
    });

    claim('is refused where it can be none, or is given twice', async (app) => {
      const calls = await callsOf(app);
      for (const value of [
        '0',
        '-1',
        '1.5',
        'x',
        '',
        '1e0',
        '9007199254740993',
        '1&account_id=1',
      ]) {
        for (const answer of await sendAll(calls, operationsOn('wh_x', `?account_id=${value}`))) {
          expect(errorOf(answer).errors, value).toMatchObject([{ field: 'account_id' }]);
        }
      }
    });
  },
  shared,
);

inEveryCell(
  'a webhook that is not the account’s',
  (claim) => {
    claim('is answered like one that does not exist, to the byte', async (app) => {
      const grace = await callsOf(app, 'ada', { account_id: 2 });
      const { id: foreign } = await register(grace);
      const published = { accountId: 2, data: {} };
      const { id: message } = await app.auth.events.publish('Contact.Added', published);
      const calls = await callsOf(app, 'ada', { account_id: 1 });
      const { id: own } = await register(calls);
      const ids = [foreign, 'wh_unknown', `${own}x`, own.toUpperCase(), 'x', '-', '_', '0'];
      const impossible = ['..%2f', '%00', '.', '..', `w${own.slice(1, -1)}%${own.slice(-1)}`];
      const long = 'x'.repeat(129);
      for (const [method, below, body] of OPERATIONS) {
        const [expected] = await sendAll(calls, [{ method, path: `/webhooks/wh_0${below}`, body }]);
        expect(expected && errorOf(expected, 404)).toEqual({
          error: 'not_found',
          error_description: 'There is nothing here.',
        });
        for (const id of [...ids, ...impossible, long]) {
          const answer = await calls.send(method, `/webhooks/${id}${below}`, body);
          expect([answer.status, answer.body, id]).toEqual([404, expected?.body, id]);
        }
      }
      for (const [webhook, delivery] of [
        [foreign, message],
        [own, message],
        [own, 'msg_unknown'],
        [own, '..%2f'],
        [own, long],
      ] as const) {
        const path = `/webhooks/${webhook}/deliveries/${delivery}/resend`;
        expect(errorOf(await calls.send('POST', path), 404).error).toBe('not_found');
      }
      expect((await grace.send('GET', `/webhooks/${foreign}`)).status).toBe(200);
    });
  },
  shared,
);

const storage = storageSwitch();

inEveryCell(
  'a webhook route while the storage is down',
  (claim) => {
    claim('is answered 503, and lets nobody in unasked', async (app) => {
      const calls = await callsOf(app);
      storage.mode = 'down';
      onTestFinished(() => {
        storage.mode = 'up';
      });
      for (const answer of await sendAll(calls, operationsOn('wh_x'))) {
        expect(errorOf(answer, 503).error).toBe('temporarily_unavailable');
        expect(answer.headers['retry-after']).toBe('1');
      }
      storage.mode = 'up';
      expect((await calls.send('GET', '/webhooks')).status).toBe(200);
    });
  },
  { ...shared, wrapStorage: storage.wrap },
);
