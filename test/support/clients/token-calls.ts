import { generateSync } from 'otplib';
import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { GRACE_TOTP_SECRET, TEST_PASSWORD } from './users.ts';

export const JSON_TYPE = ['content-type', 'application/json'] as const;
export const FORM_TYPE = ['content-type', 'application/x-www-form-urlencoded'] as const;

/** The same bytes for an unknown resource and for a resource of another user or account. */
export const NOT_FOUND_BODY = '{"error":"not_found","error_description":"There is nothing here."}';

/** The body of a response with tokens. */
export interface TokenBody {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly accounts: readonly number[];
  /** v2 only. */
  readonly scope: string;
  /** v2 only. */
  readonly refresh_expires_in: number;
}

/** The body of a response with a challenge. */
export interface ChallengeBody {
  readonly challenge: string;
  /** v2 only, like the following fields. */
  readonly error: string;
  readonly error_description: string;
  readonly challenge_expires_in: number;
  readonly methods: readonly string[];
}

export interface ErrorBody {
  readonly error: string;
  readonly error_description: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly attempts_remaining?: number;
}

/** Fields of a request body, right or wrong. */
export type Fields = Readonly<Record<string, unknown>>;

export function postJson(app: TestApp, path: string, body: unknown): Promise<HttpResponse> {
  return sendJson(app, 'POST', path, body);
}

export function putJson(app: TestApp, path: string, body: unknown): Promise<HttpResponse> {
  return sendJson(app, 'PUT', path, body);
}

/** Sends a string unchanged, so that it need not be JSON. */
function sendJson(
  app: TestApp,
  method: string,
  path: string,
  body: unknown,
): Promise<HttpResponse> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return app.send({ method, path, headers: JSON_TYPE, body: text });
}

export function postForm(
  app: TestApp,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const body = new URLSearchParams(fields).toString();
  return app.send({ method: 'POST', path, headers: FORM_TYPE, body });
}

/** Gets a path, with a bearer token if there is one. */
export function get(app: TestApp, path: string, accessToken?: string): Promise<HttpResponse> {
  const headers = accessToken === undefined ? [] : ['authorization', `Bearer ${accessToken}`];
  return app.send({ method: 'GET', path, headers });
}

/** Logs in `<user>@example.com`; `fields` are added to the right fields, or replace them. */
export function logIn(
  app: TestApp,
  user: string,
  fields: Fields = {},
  query: string = '',
): Promise<HttpResponse> {
  const login = { username: `${user}@example.com`, password: TEST_PASSWORD, ...fields };
  return postJson(app, `/token${query}`, login);
}

export function refresh(
  app: TestApp,
  refreshToken: string,
  fields: Fields = {},
  query: string = '',
): Promise<HttpResponse> {
  const body = { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields };
  return postJson(app, `/token${query}`, body);
}

export function answerChallenge(
  app: TestApp,
  challenge: string,
  fields: Fields,
): Promise<HttpResponse> {
  return postJson(app, '/token/challenge', { challenge, ...fields });
}

export function revoke(app: TestApp, token: string): Promise<HttpResponse> {
  return postJson(app, '/token/revoke', { token });
}

/** @throws {Error} with the response if it has no tokens */
export function tokensOf(response: HttpResponse): TokenBody {
  return bodyOf<TokenBody>(response, 200);
}

/** @throws {Error} with the response if it has no challenge */
export function challengeOf(response: HttpResponse): ChallengeBody {
  return bodyOf<ChallengeBody>(response, 401);
}

/** @throws {Error} with the response if it has another status */
export function errorOf(response: HttpResponse, status: number = 400): ErrorBody {
  return bodyOf<ErrorBody>(response, status);
}

function bodyOf<Body>(response: HttpResponse, status: number): Body {
  if (response.status !== status) {
    throw new Error(`expected ${status}, and was answered ${response.status}: ${response.body}`);
  }
  return JSON.parse(response.body);
}

/** Logs in and returns the tokens. */
export async function session(
  app: TestApp,
  user: string = 'ada',
  fields: Fields = {},
): Promise<TokenBody> {
  return tokensOf(await logIn(app, user, fields));
}

/** Logs in Grace up to her second factor; resolves to the challenge. */
export async function pendingChallenge(app: TestApp, fields: Fields = {}): Promise<string> {
  return challengeOf(await logIn(app, 'grace', fields)).challenge;
}

/** Grace's code, `steps` of 30 s from the app's current time. */
export function totp(app: TestApp, steps: number = 0): string {
  const epoch = Math.floor(app.clock.nowMs() / 1000) + 30 * steps;
  return generateSync({ secret: GRACE_TOTP_SECRET, epoch });
}

/** A well-formed code that is wrong: it belongs neither to this time step nor to one nearby. */
export function wrongCode(app: TestApp): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => totp(app, steps)));
  for (let code = 0; ; code += 1) {
    const digits = String(code).padStart(6, '0');
    if (!right.has(digits)) return digits;
  }
}
