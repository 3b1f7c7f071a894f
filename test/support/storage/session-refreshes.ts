import type { Scope } from '@latchhook/core';
import { expect } from 'vitest';
import {
  ABSOLUTE_MS,
  type Command,
  call,
  expectAgreement,
  IDLE_MS,
  isLive,
  isReused,
  type Model,
  type Real,
} from './session-model.ts';

function refresh({ app }: Real, refreshToken: string, fields = {}) {
  const body = { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields };
  return call(app, '/token', body);
}

/** Sends the newest refresh token, or a token that is `back` generations older. */
export class Refresh implements Command {
  readonly #back: number;

  constructor(back: number) {
    this.#back = back;
  }

  check = ({ generation }: Model) => generation - this.#back >= 1;

  async run(model: Model, real: Real): Promise<void> {
    const presented = model.generation - this.#back;
    const response = await refresh(real, real.tokens[presented] ?? '');
    const isUserRejected = model.disabled || model.passwordChangedAtMs > model.createdAtMs;
    // No refresh keeps `auth`.
    const scopes = model.scopes.filter((scope) => scope !== 'auth');
    if (isUserRejected || !isLive(model)) {
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    } else if (isReused(model, this.#back)) {
      model.ended = true;
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    } else if (scopes.length === 0) {
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    } else if (this.#back === 0) {
      model.generation += 1;
      model.rotatedAtMs = model.nowMs;
      real.tokens[model.generation] = response.body.refresh_token;
      this.#expectTokens(model, real, response, scopes);
      expect(new Set(real.tokens).size).toBe(real.tokens.length);
    } else {
      this.#expectTokens(model, real, response, scopes);
    }
    await expectAgreement(model, real);
  }

  #expectTokens(
    { generation, nowMs, createdAtMs, rotatedAtMs }: Model,
    { tokens }: Real,
    response: { readonly status: number; readonly body: unknown },
    scopes: readonly Scope[],
  ): void {
    const leftMs = Math.min(createdAtMs + ABSOLUTE_MS, rotatedAtMs + IDLE_MS) - nowMs;
    expect(response).toMatchObject({
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

/** Sends the newest token with one flipped bit. */
export class RefreshForged implements Command {
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
    const response = await refresh(real, `lh_rt_${bytes.toString('base64url')}`);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await expectAgreement(model, real);
  }

  toString = () => `refresh(forged at ${this.#position})`;
}

/** Requests a scope that was never granted: a live session rejects it and consumes nothing. */
export class Widen implements Command {
  readonly #back: number;

  constructor(back: number) {
    this.#back = back;
  }

  check = ({ generation, disabled, passwordChangedAtMs, createdAtMs }: Model) =>
    generation - this.#back >= 1 && !disabled && passwordChangedAtMs <= createdAtMs;

  async run(model: Model, real: Real): Promise<void> {
    const presented = model.generation - this.#back;
    const response = await refresh(real, real.tokens[presented] ?? '', { scopes: 'internal' });
    if (isReused(model, this.#back)) model.ended = true;
    const error = isLive(model) ? 'invalid_scope' : 'invalid_grant';
    expect(response).toMatchObject({ status: 400, body: { error } });
    await expectAgreement(model, real);
  }

  toString = () => `widen(${this.#back === 0 ? 'newest' : `${this.#back} older`})`;
}
