import type { AccountId, AccountIdKind } from '../account-id.ts';
import type { AccountOptions } from '../auth-options.ts';
import { ConfigError } from '../errors.ts';

/** @throws {ConfigError} `accounts_invalid` */
export function resolveAccountIdKind({ id }: AccountOptions<AccountId> = {}): AccountIdKind {
  if (id === undefined || id === 'integer') return 'integer';
  if (id === 'string') return id;
  throw new ConfigError('accounts_invalid', "accounts.id must be 'integer' or 'string'");
}
