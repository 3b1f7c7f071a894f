import { CLIENT, type GrantFixture, PASSWORD } from './grant-fixture.test.support.ts';
import {
  createPasswordGrant,
  type PasswordGrantDeps,
  type PasswordGrantRequest,
} from './password-grant.ts';

const asked: PasswordGrantRequest = {
  username: 'ada@example.com',
  password: PASSWORD,
  accountId: null,
  scopes: ['user'],
  expirationSeconds: undefined,
  version: 'v2',
  client: CLIENT,
};

export const WRONG = {
  code: 'invalid_grant',
  description: 'The username or the password is wrong.',
};

/** Logs ada in, with some of its deps replaced. */
export function logIn(
  { deps }: GrantFixture,
  request: Partial<PasswordGrantRequest> = {},
  replaced: Partial<PasswordGrantDeps> = {},
) {
  return createPasswordGrant({ ...deps, ...replaced })({ ...asked, ...request });
}
