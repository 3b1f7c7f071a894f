import type { Scope, User } from '@latchhook/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { TestApp } from '../apps/test-app.ts';

const GRACE_MS = 60_000;
const DAY_MS = 86_400_000;
const IDLE_MS = 30 * DAY_MS;
const ABSOLUTE_MS = 90 * DAY_MS;

/** The model of one session, as the documentation describes it. */
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
  readonly user: DirectoryEntry;
  readonly accessToken: string;
  readonly tokens: string[];
}

/** A user that the host may change at any time. */
export interface DirectoryEntry {
  current: User;
}

function isPast({ nowMs, createdAtMs, rotatedAtMs }: Model): boolean {
  return nowMs >= createdAtMs + ABSOLUTE_MS || nowMs >= rotatedAtMs + IDLE_MS;
}

function isLive(model: Model): boolean {
  return !model.ended && !isPast(model);
}

/** Posts to the routes directly, without a framework. */
export async function call(app: TestApp, path: string, body: Readonly<Record<string, unknown>>) {
  const answer = await app.auth.http.handle({
    method: 'POST',
    path,
    mountPath: '',
    query: '',
    headers: { 'content-type': 'application/json' },
    authorization: undefined,
    body: { kind: 'parsed', value: body },
    remoteAddress: '192.0.2.1',
  });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

/** Whether a token `back` generations older than the newest ends the session, whatever is asked with it. */
function isReused({ nowMs, rotatedAtMs }: Model, back: number): boolean {
  return back > 1 || (back === 1 && nowMs - rotatedAtMs > GRACE_MS);
}

function refresh({ app }: Real, refreshToken: string, fields = {}) {
  const body = { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields };
  return call(app, '/token', body);
}

type Command = fc.AsyncCommand<Model, Real>;

/** Checked after every command: the host's list of sessions has this one only while it lives. */
async function expectAgreement(model: Model, { app, user }: Real): Promise<void> {
  expect(await app.auth.sessions.list(user.current.id)).toHaveLength(isLive(model) ? 1 : 0);
}

/** Presents the newest refresh token, or one that is `back` generations older. */
class Refresh implements Command {
  readonly #back: number;

  constructor(back: number) {
    this.#back = back;
  }

  check = ({ generation }: Model) => generation - this.#back >= 1;

  async run(model: Model, real: Real): Promise<void> {
    const presented = model.generation - this.#back;
    const answer = await refresh(real, real.tokens[presented] ?? '');
    const scopes = model.scopes.filter((scope) => scope !== 'auth');
    if (model.disabled || model.passwordChangedAtMs > model.createdAtMs) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    } else if (!isLive(model)) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    } else if (isReused(model, this.#back)) {
      model.ended = true;
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    } else if (scopes.length === 0) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    } else if (this.#back === 0) {
      model.generation += 1;
      model.rotatedAtMs = model.nowMs;
      real.tokens[model.generation] = answer.body.refresh_token;
      this.#expectTokens(model, real, answer, scopes);
      expect(new Set(real.tokens).size).toBe(real.tokens.length);
    } else {
      this.#expectTokens(model, real, answer, scopes);
    }
    await expectAgreement(model, real);
  }

  #expectTokens(
    { generation, nowMs, createdAtMs, rotatedAtMs }: Model,
    { tokens }: Real,
    answer: { readonly status: number; readonly body: unknown },
    scopes: readonly Scope[],
  ): void {
    const leftMs = Math.min(createdAtMs + ABSOLUTE_MS, rotatedAtMs + IDLE_MS) - nowMs;
    expect(answer).toMatchObject({
      status: 200,
      body: {
        refresh_token: tokens[generation],
        refresh_expires_in: Math.max(1, Math.floor(leftMs / 1000)),
        scope: scopes.join(' '),
      },
    });
  }

  toString = () => `refresh(${this.#back === 0 ? 'newest' : `${this.#back} older`})`;
}

/** Presents the newest token with one bit flipped. */
class RefreshForged implements Command {
  readonly #position: number;

  constructor(position: number) {
    this.#position = position;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const newest = real.tokens[model.generation] ?? '';
    const bytes = Buffer.from(newest.slice('lh_rt_'.length), 'base64url');
    const index = this.#position % bytes.length;
    bytes[index] = (bytes[index] ?? 0) ^ (1 << (this.#position % 8));
    const answer = await refresh(real, `lh_rt_${bytes.toString('base64url')}`);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await expectAgreement(model, real);
  }

  toString = () => `refresh(forged at ${this.#position})`;
}

/** Asks for a scope that the session never had: a live session refuses, and nothing is consumed. */
class Widen implements Command {
  readonly #back: number;

  constructor(back: number) {
    this.#back = back;
  }

  check = ({ generation, disabled, passwordChangedAtMs, createdAtMs }: Model) =>
    generation - this.#back >= 1 && !disabled && passwordChangedAtMs <= createdAtMs;

  async run(model: Model, real: Real): Promise<void> {
    const presented = model.generation - this.#back;
    const answer = await refresh(real, real.tokens[presented] ?? '', { scopes: 'internal' });
    if (isReused(model, this.#back)) model.ended = true;
    const error = isLive(model) ? 'invalid_scope' : 'invalid_grant';
    expect(answer).toMatchObject({ status: 400, body: { error } });
    await expectAgreement(model, real);
  }

  toString = () => `widen(${this.#back === 0 ? 'newest' : `${this.#back} older`})`;
}

class Tick implements Command {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    model.nowMs += this.#ms;
    real.app.clock.advance(this.#ms);
    await expectAgreement(model, real);
  }

  toString = () => `tick(${this.#ms})`;
}

/** Revokes by a refresh token of any generation, or by the access token of the login. */
class Revoke implements Command {
  readonly #by: 'newest' | 'first' | 'access token';

  constructor(by: 'newest' | 'first' | 'access token') {
    this.#by = by;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const { tokens, accessToken } = real;
    const byAccess = this.#by === 'access token';
    const refreshToken = tokens[this.#by === 'first' ? 1 : model.generation];
    const token = byAccess ? accessToken : refreshToken;
    expect((await call(real.app, '/token/revoke', { token })).status).toBe(200);
    // An access token revokes its session only while it is valid itself.
    if (!byAccess || model.nowMs < model.createdAtMs + 3_599_000) model.ended = true;
    await expectAgreement(model, real);
  }

  toString = () => `revoke(${this.#by})`;
}

/** The host changes the user. */
class ChangeUser implements Command {
  readonly #change: 'disable' | 'enable' | 'change password' | readonly Scope[];

  constructor(change: 'disable' | 'enable' | 'change password' | readonly Scope[]) {
    this.#change = change;
  }

  check = () => true;

  async run(model: Model, { user }: Real): Promise<void> {
    if (typeof this.#change !== 'string') {
      const entitled = this.#change;
      model.scopes = (['user', 'admin'] as const).filter((scope) => entitled.includes(scope));
    } else if (this.#change === 'change password') {
      model.passwordChangedAtMs = model.nowMs;
    } else {
      model.disabled = this.#change === 'disable';
    }
    user.current = {
      ...user.current,
      disabled: model.disabled,
      passwordChangedAtMs: model.passwordChangedAtMs,
      ...(typeof this.#change === 'string' ? {} : { scopes: this.#change }),
    };
  }

  toString = () => `user(${this.#change})`;
}

/** What clients and the host may do to a session, in any order. */
export const commands = fc.commands<Model, Real, false>(
  [
    fc.constant(new Refresh(0)),
    fc.constant(new Refresh(0)),
    fc.constant(new Refresh(1)),
    fc.integer({ min: 1, max: 4 }).map((back) => new Refresh(back)),
    fc.nat(1000).map((position) => new RefreshForged(position)),
    fc.integer({ min: 0, max: 2 }).map((back) => new Widen(back)),
    fc
      .constantFrom(1, 1000, 30_000, 59_999, 60_000, 60_001, 3_600_000, DAY_MS, 20 * DAY_MS)
      .map((ms) => new Tick(ms)),
    fc.constantFrom(IDLE_MS - 1, IDLE_MS).map((ms) => new Tick(ms)),
    fc.constantFrom('newest', 'first', 'access token').map((by) => new Revoke(by)),
    fc
      .constantFrom<ConstructorParameters<typeof ChangeUser>[0]>(
        'disable',
        'enable',
        'enable',
        'change password',
        ['user', 'admin'],
        ['user'],
        ['admin', 'auth'],
        ['auth'],
      )
      .map((change) => new ChangeUser(change)),
  ] as fc.Arbitrary<Command>[],
  { maxCommands: 40, size: 'max' },
);
