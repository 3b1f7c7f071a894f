import type { Scope, User } from '@latchhook/core';
import type fc from 'fast-check';
import { expect } from 'vitest';
import type { TestApp } from '../apps/test-app.ts';
import { GRACE_MS } from '../time/policy-times.ts';

export const DAY_MS = 86_400_000;
export const IDLE_MS = 30 * DAY_MS;
export const ABSOLUTE_MS = 90 * DAY_MS;

/** The model of one session, by the documentation. */
export interface Model {
  generation: number;
  nowMs: number;
  readonly createdAtMs: number;
  rotatedAtMs: number;
  ended: boolean;
  disabled: boolean;
  passwordChangedAtMs: number;
  scopes: readonly Scope[];
}

/** The real session: every refresh token that was ever issued, by generation. */
export interface Real {
  readonly app: TestApp;
  readonly user: UserEntry;
  readonly accessToken: string;
  readonly tokens: string[];
}

/** A user that the host may change at any time. */
export interface UserEntry {
  current: User;
}

function isPast({ nowMs, createdAtMs, rotatedAtMs }: Model): boolean {
  return nowMs >= createdAtMs + ABSOLUTE_MS || nowMs >= rotatedAtMs + IDLE_MS;
}

export function isLive(model: Model): boolean {
  return !model.ended && !isPast(model);
}

/** Posts to the routes directly, without a framework. */
export async function call(app: TestApp, path: string, body: Readonly<Record<string, unknown>>) {
  const response = await app.auth.http.handle({
    method: 'POST',
    path,
    mountPath: '',
    query: '',
    headers: { 'content-type': 'application/json' },
    authorization: undefined,
    body: { kind: 'parsed', value: body },
    remoteAddress: '192.0.2.1',
  });
  return { status: response.status, body: JSON.parse(response.body) };
}

/** Whether a token `back` generations older than the newest ends the session, whatever the request is. */
export function isReused({ nowMs, rotatedAtMs }: Model, back: number): boolean {
  return back > 1 || (back === 1 && nowMs - rotatedAtMs > GRACE_MS);
}

/** An operation on the session and on its model. */
export type Command = fc.AsyncCommand<Model, Real>;

/** Checked after every command: the host's list has the session if and only if the session is live. */
export async function expectAgreement(model: Model, { app, user }: Real): Promise<void> {
  expect(await app.auth.sessions.list(user.current.id)).toHaveLength(isLive(model) ? 1 : 0);
}
