import { assertNames, type NamesOf } from '../assert-names.ts';
import type { AuthInfo } from '../bearer/auth-info.ts';
import type { Bearer, BearerRequirement } from '../bearer/bearer.ts';
import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import { uncheckedFields } from '../unchecked-fields.ts';

/** The options of an adapter's `requireAuth`, which has the account as a function of the request. */
type RequirementOptions = Omit<BearerRequirement, 'accountId'> & { readonly account: unknown };

const NAMES: NamesOf<RequirementOptions> = {
  scope: true,
  account: true,
  credential: true,
  checkSession: true,
};

const CREDENTIALS: Readonly<Record<AuthInfo['credential'], true>> = {
  access_token: true,
  personal_access_token: true,
};

/**
 * For adapters: checks the arguments of `requireAuth` when the host calls it, before any request.
 *
 * Security: a misspelt requirement would require nothing, and any token would open the route. So unknown names and
 * values are rejected, and so is a `scope` or `account` of `undefined`, the value of a misspelt constant. To require
 * none, leave it out.
 *
 * @throws {ConfigError} `auth_invalid`, `requirement_invalid`, `option_unknown`
 */
export function assertRequirement(auth: unknown, requirement: unknown): void {
  const { bearer } = uncheckedFields<{ readonly bearer: Partial<Bearer> }>(auth);
  const scopes: unknown = bearer?.scopes;
  if (!Array.isArray(scopes) || missingMethods('auth.bearer', bearer, ['check']).length > 0) {
    throw new ConfigError(
      'auth_invalid',
      "requireAuth takes what createAuth has made, and then what it requires: requireAuth(auth, { scope: 'user' })",
    );
  }
  assertNames('requireAuth', 'requirement_invalid', requirement, NAMES);
  assertPlain(requirement);
  const { account, credential, checkSession } = requirement;
  if ('scope' in requirement) assertScope(requirement['scope'], scopes);
  if ('account' in requirement && typeof account !== 'function') {
    throw invalid('account must be a function that reads the account of a request');
  }
  if (credential !== undefined && !isCredential(credential)) {
    throw invalid(`credential must be one of: ${Object.keys(CREDENTIALS).join(', ')}`);
  }
  if (checkSession !== undefined && typeof checkSession !== 'boolean') {
    throw invalid('checkSession must be true or false');
  }
}

/** Rejects entries of a `Map` and inherited properties, which escape the check of names. */
function assertPlain(
  requirement: unknown,
): asserts requirement is Readonly<Record<keyof RequirementOptions, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(requirement);
  // `Object.prototype` is recognised by its position in the chain: test runners have an `Object` of their own.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return;
  throw new ConfigError(
    'requirement_invalid',
    "requireAuth takes a plain object, as in requireAuth(auth, { scope: 'user' })",
  );
}

function assertScope(scope: unknown, names: readonly unknown[]): void {
  // Copied by a spread because `every` skips the holes of an array.
  const scopes: readonly unknown[] = Array.isArray(scope) ? [...scope] : [scope];
  if (scopes.length > 0 && scopes.every((name) => names.includes(name))) return;
  const unknown = scopes.find((name) => typeof name === 'string' && !names.includes(name));
  const mistake = unknown === undefined ? '' : `, not ${JSON.stringify(unknown)}`;
  throw invalid(
    `scope must be one of ${names.join(', ')}, or a list of them that is not empty${mistake}; leave it out to ask for none`,
  );
}

function isCredential(value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(CREDENTIALS, value);
}

function invalid(rule: string): ConfigError {
  return new ConfigError('requirement_invalid', `requireAuth.${rule}`);
}
