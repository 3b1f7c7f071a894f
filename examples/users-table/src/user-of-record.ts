import type { Scope, User } from '@latchhook/core';

/** A user as Drizzle and Prisma read it, with the names of their schemas. */
export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly passwordChangedAt: Date | null;
  readonly disabled: boolean;
  readonly scopes: readonly string[];
  readonly totpSecret: string | null;
  readonly memberships: readonly { readonly accountId: number }[];
}

export function userOfRecord(record: UserRecord): User {
  return {
    id: record.id,
    username: record.email,
    passwordHash: record.passwordHash,
    accounts: record.memberships.map(({ accountId }) => accountId),
    // The table has a CHECK for scopes, and Latchhook rejects requests for scopes that do not exist.
    scopes: record.scopes as readonly Scope[],
    disabled: record.disabled,
    mfa: record.totpSecret === null ? null : { totpSecret: record.totpSecret },
    passwordChangedAtMs: record.passwordChangedAt?.getTime(),
  };
}
