import type { Scope } from '@latchhook/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type Command,
  call,
  DAY_MS,
  expectAgreement,
  IDLE_MS,
  type Model,
  type Real,
} from './session-model.ts';
import { Refresh, RefreshForged, Widen } from './session-refreshes.ts';

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

/** Revokes by the newest or the first refresh token, or by the access token of the login. */
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
    // An expired access token revokes nothing. It expires 3,599 to 3,600 s after the login, because its times are in
    // whole seconds; no sum of ticks is between these.
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

/** The operations of clients and of the host on a session, in any order. */
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
