import { generateSync } from 'otplib';
import type { TestApp } from '../apps/test-app.ts';
import { answerChallenge, challengeOf, type Fields, logIn, tokensOf } from './token-calls.ts';
import { bodyOf, callsOf, callsWith, type UserCalls } from './webhook-calls.ts';

/** The body of the response with a new secret. */
export interface EnrolmentBody {
  readonly secret: string;
  readonly otpauth_uri: string;
  readonly qr_svg: string;
}

export interface RecoveryCodesBody {
  readonly recovery_codes: readonly string[];
}

export const TOTP = '/users/self/mfa/totp';
export const CONFIRM = `${TOTP}/confirm`;
export const RECOVERY_CODES = '/users/self/mfa/recovery-codes';

/** Every operation on a user's factor, with a valid body. */
export const FACTOR_OPERATIONS: readonly (readonly [
  method: string,
  path: string,
  body?: object,
])[] = [
  ['POST', TOTP],
  ['POST', CONFIRM, { code: '000000' }],
  ['POST', RECOVERY_CODES],
  ['DELETE', TOTP],
];

/** The code of a secret, `steps` of 30 s from the app's current time. */
export function codeOf(app: TestApp, secret: string, steps: number = 0): string {
  const epoch = Math.floor(app.clock.nowMs() / 1000) + 30 * steps;
  return generateSync({ secret, epoch });
}

/**
 * A code that is wrong for `secret`: a code of `foreign` (by default of the secret itself), `steps` of 30 s from the
 * app's current time. If that code is right by chance, the next wrong one.
 */
export function wrongCodeOf(
  app: TestApp,
  secret: string,
  steps: number,
  foreign: string = secret,
): string {
  const right = new Set([0, -1].map((near) => codeOf(app, secret, near)));
  for (let further = steps; ; further += Math.sign(steps) || 1) {
    const code = codeOf(app, foreign, further);
    if (!right.has(code)) return code;
  }
}

/** The secrets of an enrolled factor that its user has. */
export interface Enrolled {
  readonly calls: UserCalls;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

export async function beginEnrolment(calls: UserCalls): Promise<EnrolmentBody> {
  return bodyOf<EnrolmentBody>(await calls.send('POST', TOTP), 201);
}

/** Logs in with only the password, and enrols. */
export async function enrol(app: TestApp, user: string = 'ada'): Promise<Enrolled> {
  const calls = await callsOf(app, user, { scopes: 'user,auth' });
  const { secret } = await beginEnrolment(calls);
  const response = await calls.send('POST', CONFIRM, { code: codeOf(app, secret) });
  const { recovery_codes: recoveryCodes } = bodyOf<RecoveryCodesBody>(response, 200);
  return { calls, secret, recoveryCodes };
}

/** Logs in up to the second factor; resolves to the challenge. */
export async function logInToChallenge(app: TestApp, user: string = 'ada'): Promise<string> {
  return challengeOf(await logIn(app, user)).challenge;
}

/** Logs in with password and code. */
export async function logInBy(
  app: TestApp,
  code: string,
  fields: Fields = { scopes: ['user', 'auth'] },
): Promise<UserCalls> {
  const response = await answerChallenge(app, await logInToChallenge(app), { code, ...fields });
  return callsWith(app, tokensOf(response).access_token);
}
