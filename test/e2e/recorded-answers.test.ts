import { fileURLToPath } from 'node:url';
import { decodeProtectedHeader } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import { startTestApp, type TestApp } from '../support/apps/test-app.ts';
import { CONFIRM, codeOf, RECOVERY_CODES, TOTP } from '../support/clients/mfa-calls.ts';
import { NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { JWKS, METADATA } from '../support/clients/public-documents.ts';
import { SESSIONS } from '../support/clients/session-calls.ts';
import { totp } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { NEW_WEBHOOK } from '../support/clients/webhook-calls.ts';
import { comparable } from '../support/storage/in-every-cell.ts';

const RECORD = fileURLToPath(new URL('recorded-answers.txt', import.meta.url));
const WHY = `An app with default options must give its clients the responses that it always has. If a change is intended,
write the record again and review it: pnpm exec vitest run --project integration test/e2e/recorded-answers.test.ts -u`;

it.each(['express', 'koa'] as const)(
  'an app with default options gives the recorded responses in %s',
  async (framework) => {
    const storage = 'memory';
    const worker = { drain: async () => ({ outcome: 'drained' }) as const, close: async () => {} };
    const app = await startTestApp(
      { framework, storage },
      { auth: { mfa: { enrolment: true }, webhooks: { worker: () => worker } } },
    );
    onTestFinished(() => app.stop());
    await expect(await record(app), WHY).toMatchFileSnapshot(RECORD);
  },
);

/** Sends at least one request per operation, and records the responses. */
async function record(app: TestApp): Promise<string> {
  const notes: string[] = [];
  async function ask(method: string, path: string, body?: object, token?: string) {
    const response = await app.send({
      method,
      path,
      headers: [
        ...(body ? ['content-type', 'application/json'] : []),
        ...(token === undefined ? [] : ['authorization', `Bearer ${token}`]),
      ],
      ...(body && { body: JSON.stringify(body) }),
    });
    notes.push(noteOf(method, path, response));
    // Lists are sorted by time.
    app.clock.advance(1);
    return response.body.startsWith('{') ? JSON.parse(response.body) : {};
  }
  const asAda = { username: 'ada@example.com', password: TEST_PASSWORD };

  const { refresh_token, access_token: free } = await ask('POST', '/token?version=v1', asAda);
  const again = { grant_type: 'refresh_token', refresh_token };
  const { refresh_token: second } = await ask('POST', '/token', again);
  await ask('PUT', '/token', { refresh_token: second });
  const withAllScopes = { ...asAda, account_id: 2, scopes: 'user,admin,internal,auth' };
  const { access_token: token } = await ask('POST', '/token', withAllScopes);
  const asGrace = { username: 'grace@example.com', password: TEST_PASSWORD };
  await ask('POST', '/token?version=v1', asGrace);
  const { challenge } = await ask('POST', '/token', asGrace);
  await ask('POST', '/token/challenge', { challenge, code: 'x' });
  await ask('POST', '/token/challenge', { challenge, code: totp(app) });
  await ask('POST', '/token', { ...asAda, password: 'wrong' });
  await ask('POST', '/token', { ...asAda, account_id: 'two' });
  await ask('POST', '/token', { ...asAda, account_id: 3 });
  await ask('POST', '/token', { ...asAda, scopes: 'payout' });
  await ask('GET', '/token');
  await ask('POST', '/token/introspect', { token }, token);
  await ask('GET', JWKS);
  await ask('GET', METADATA);

  await ask('GET', SESSIONS, undefined, token);
  const { secret } = await ask('POST', TOTP, undefined, token);
  await ask('POST', CONFIRM, { code: codeOf(app, secret) }, token);
  await ask('POST', RECOVERY_CODES, undefined, token);
  await ask('DELETE', TOTP, undefined, token);

  const { id: pat } = await ask('POST', PATS, { ...NEW_PAT, account_id: 2 }, token);
  await ask('GET', PATS, undefined, token);
  await ask('DELETE', `${PATS}/${pat}`, undefined, token);
  await ask('GET', PATS);
  await ask('GET', PATS, undefined, free);

  await ask('GET', '/webhooks/event-types', undefined, token);
  const { id } = await ask('POST', '/webhooks', NEW_WEBHOOK, token);
  const webhook = `/webhooks/${id}`;
  await ask('GET', '/webhooks?account_id=2', undefined, token);
  await ask('GET', '/webhooks?account_id=1', undefined, token);
  await ask('GET', webhook, undefined, token);
  await ask('PATCH', webhook, { rate_limit: 7 }, token);
  await ask('POST', `${webhook}/secret`, undefined, token);
  const { data } = await ask('POST', `${webhook}/ping`, undefined, token);
  await ask('GET', `${webhook}/deliveries`, undefined, token);
  await ask('POST', `${webhook}/deliveries/${data.delivery.id}/resend`, undefined, token);
  await ask('POST', `${webhook}/enable`, undefined, token);
  await ask('POST', `${webhook}/recover`, { since: '2026-01-01T00:00:00Z' }, token);
  await ask('DELETE', webhook, undefined, token);
  await ask('DELETE', webhook, undefined, token);

  await ask('DELETE', `${SESSIONS}/unknown`, undefined, free);
  await ask('DELETE', `${SESSIONS}?except=current`, undefined, free);
  await ask('DELETE', SESSIONS, undefined, free);
  await ask('POST', '/token/revoke', { token: refresh_token });
  return `${notes.join('\n\n')}\n`;
}

function noteOf(method: string, path: string, response: HttpResponse): string {
  const { status, headers, body } = comparable(response) as HttpResponse;
  const { access_token: token } = response.body.startsWith('{') ? JSON.parse(response.body) : {};
  return [
    `${method} ${masked(path)}`,
    String(status),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${masked(String(value))}`),
    ...(typeof token === 'string' ? [`access token: ${structureOf(token)}`] : []),
    masked(body),
  ].join('\n');
}

/** The header and claims of a token, without the values that are random or times. */
function structureOf(token: string): string {
  const { kid: _, ...header } = decodeProtectedHeader(token);
  const claims = JSON.parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url')));
  const known = Object.entries(claims).map(([name, value]) =>
    ['exp', 'iat', 'auth_time', 'jti', 'sid'].includes(name) ? [name, '...'] : [name, value],
  );
  return `${JSON.stringify(header)} ${JSON.stringify(Object.fromEntries(known))}`;
}

/** Masks all values that differ between runs. */
function masked(text: string): string {
  return text
    .replace(/\b(wh|msg|pat)_[\w-]{22}(?![\w-])/g, '$1_...')
    .replace(/"(kid|x|y|sid)":"[\w-]+"/g, '"$1":"..."')
    .replace(/"(auth_time|iat|exp)":\d+/g, '"$1":0')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:...');
}
