import type { Scope, User } from '@latchhook/core';

/** A row of `users` as `pg` and Knex read it, joined with the accounts. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly password_changed_at: Date | null;
  readonly disabled: boolean;
  readonly scopes: readonly Scope[];
  readonly totp_secret: string | null;
  readonly accounts: readonly number[];
}

export function userOfRow(row: UserRow): User {
  return {
    id: row.id,
    username: row.email,
    passwordHash: row.password_hash,
    accounts: row.accounts,
    scopes: row.scopes,
    disabled: row.disabled,
    mfa: row.totp_secret === null ? null : { totpSecret: row.totp_secret },
    passwordChangedAtMs: row.password_changed_at?.getTime(),
  };
}
