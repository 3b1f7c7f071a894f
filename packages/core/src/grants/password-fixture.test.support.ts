import { CLIENT, type GrantFixture, PASSWORD } from './grant-fixture.test.support.ts';
import {
  createPasswordGrant,
  type PasswordGrantDeps,
  type PasswordGrantRequest,
} from './password-grant.ts';

const REQUEST: PasswordGrantRequest = {
  username: 'ada@example.com',
  password: PASSWORD,
  accountId: null,
  scopes: ['user'],
  expirationSeconds: undefined,
  version: 'v2',
  client: CLIENT,
};

export const WRONG_PASSWORD = {
  code: 'invalid_grant',
  description: 'The username or the password is wrong.',
};

/** Logs ada in, by a grant with these dependencies replaced. */
export function logIn(
  { deps }: GrantFixture,
  request: Partial<PasswordGrantRequest> = {},
  replacedDeps: Partial<PasswordGrantDeps> = {},
) {
  return createPasswordGrant({ ...deps, ...replacedDeps })({ ...REQUEST, ...request });
}
