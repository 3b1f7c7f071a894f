import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import {
  beginEnrolment,
  CONFIRM,
  codeOf,
  FACTOR_OPERATIONS,
  logInBy,
  RECOVERY_CODES,
  TOTP,
  wrongCodeOf,
} from '../support/clients/mfa-calls.ts';
import {
  type ActualResponse,
  expectDescribed,
  openapiOf,
} from '../support/clients/public-documents.ts';
import { logInWithCalls, SESSIONS } from '../support/clients/session-calls.ts';
import { callsOf } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { RECENT_LOGIN_MS, SECOND_MS, TOTP_STEP_MS } from '../support/time/policy-times.ts';

inEveryCell(
  'the OpenAPI document of the routes for sessions and second factors',
  (test) => {
    test('states the scope of each route', async (app) => {
      const { paths } = await openapiOf(app);
      const scopes = Object.entries(paths)
        .filter(([path]) => /^\/users\/self\/(sessions|mfa)/.test(path))
        .flatMap(([path, operations]) =>
          Object.entries(operations).map(([method, { security }]) => [method, path, security]),
        );
      expect(scopes).toEqual([
        ['get', SESSIONS, [{ bearer: ['user'] }]],
        ['delete', SESSIONS, [{ bearer: ['user'] }]],
        ['delete', `${SESSIONS}/{id}`, [{ bearer: ['user'] }]],
        ['post', TOTP, [{ bearer: ['auth'] }]],
        ['delete', TOTP, [{ bearer: ['auth'] }]],
        ['post', CONFIRM, [{ bearer: ['auth'] }]],
        ['post', RECOVERY_CODES, [{ bearer: ['auth'] }]],
      ]);
    });

    test('describes the actual responses', async (app) => {
      const document = await openapiOf(app);
      for (const response of await actualResponses(app)) expectDescribed(document, response);
    });
  },
  { auth: { mfa: { enrolment: true } } },
);

/** Responses of each kind for every operation. */
async function actualResponses(app: TestApp): Promise<readonly ActualResponse[]> {
  return [...(await responsesOfFactorRoutes(app)), ...(await responsesOfSessionRoutes(app))];
}

async function responsesOfFactorRoutes(app: TestApp): Promise<ActualResponse[]> {
  const responses: ActualResponse[] = [];
  const stale = await callsOf(app, 'ada', { scopes: 'auth' });
  app.clock.advance(RECENT_LOGIN_MS + SECOND_MS);
  const calls = await callsOf(app, 'ada', { scopes: 'auth' });
  for (const [method, path, body] of FACTOR_OPERATIONS) {
    responses.push([method, path, await app.send({ method, path })]);
    responses.push([method, path, await stale.send(method, path, body)]);
    responses.push([method, path, await calls.send(method, path, body)]);
  }
  const { secret } = await beginEnrolment(calls);
  for (const code of ['x', wrongCodeOf(app, secret, 9), codeOf(app, secret)]) {
    responses.push(['POST', CONFIRM, await calls.send('POST', CONFIRM, { code })]);
  }
  app.users.change('ada', { mfa: { totpSecret: secret } });
  app.clock.advance(TOTP_STEP_MS);
  const later = await logInBy(app, codeOf(app, secret));
  responses.push(['POST', TOTP, await later.send('POST', TOTP)]);
  app.users.change('ada', { mfa: null });
  responses.push(['POST', RECOVERY_CODES, await later.send('POST', RECOVERY_CODES)]);
  responses.push(['DELETE', TOTP, await later.send('DELETE', TOTP)]);
  return responses;
}

async function responsesOfSessionRoutes(app: TestApp): Promise<ActualResponse[]> {
  const responses: ActualResponse[] = [];
  const [calls, other] = [await logInWithCalls(app), await logInWithCalls(app)];
  const one = `${SESSIONS}/{id}`;
  responses.push(['GET', SESSIONS, await app.send({ method: 'GET', path: SESSIONS })]);
  responses.push(['GET', SESSIONS, await calls.send('GET', SESSIONS)]);
  responses.push(['GET', SESSIONS, await calls.send('GET', `${SESSIONS}?limit=0`)]);
  responses.push(['DELETE', one, await calls.send('DELETE', `${SESSIONS}/${other.id}`)]);
  responses.push(['DELETE', one, await calls.send('DELETE', `${SESSIONS}/${other.id}`)]);
  responses.push(['DELETE', SESSIONS, await calls.send('DELETE', `${SESSIONS}?except=x`)]);
  responses.push(['DELETE', SESSIONS, await calls.send('DELETE', `${SESSIONS}?except=current`)]);
  responses.push(['DELETE', SESSIONS, await calls.send('DELETE', SESSIONS)]);
  return responses;
}
