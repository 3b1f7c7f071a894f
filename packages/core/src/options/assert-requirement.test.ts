import { describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import { SCOPES } from '../scopes/scope.ts';
import { assertRequirement } from './assert-requirement.ts';

const auth = { bearer: { check: () => ({ outcome: 'rejected' }), scopes: SCOPES } };

/**
 * The code and the message with which a requirement is rejected; `undefined` if it is accepted. The first argument of
 * `requireAuth` is in a tuple, because a default would replace an argument that is `undefined`.
 */
function rejectionOf(
  requirement: unknown,
  [authArgument]: readonly [unknown] = [auth],
): [string, string] | undefined {
  try {
    assertRequirement(authArgument, requirement);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.code, error.message];
  }
}

describe('the requirement of requireAuth', () => {
  it.each<[requirement: unknown]>([
    [{}],
    [Object.create(null)],
    [{ scope: 'admin' }],
    [{ scope: ['user', 'admin'] }],
    [{ scope: Object.freeze(['auth']), account: () => 1, checkSession: false }],
    [{ scope: 'user', credential: 'access_token' }],
    [{ credential: 'personal_access_token' }],
    [{ scope: 'user', credential: undefined, checkSession: undefined }],
  ])('is accepted: %o', (requirement) => {
    expect(rejectionOf(requirement)).toBeUndefined();
  });

  it.each<[requirement: object, name: string]>([
    [{ scopes: 'admin' }, 'scopes'],
    [{ scopes: ['admin'] }, 'scopes'],
    [{ scope: 'user', checksession: true }, 'checksession'],
    [{ accountId: 7 }, 'accountId'],
    [{ scope: 'user', toString: 1 }, 'toString'],
  ])('is rejected with option_unknown for an unknown name: %o', (requirement, name) => {
    expect(rejectionOf(requirement)).toEqual([
      'option_unknown',
      `requireAuth knows no "${name}"; it takes: scope, account, credential, checkSession [option_unknown]`,
    ]);
  });

  it.each<[requirement: unknown]>([
    ['admin'],
    [['admin']],
    [[]],
    [null],
    [undefined],
    [true],
    [() => ({ scope: 'admin' })],
  ])('is rejected if it is not an object: %o', (requirement) => {
    expect(rejectionOf(requirement)).toEqual([
      'requirement_invalid',
      expect.stringMatching(/^requireAuth takes an object of: scope, account/),
    ]);
  });

  it.each<[what: string, requirement: object]>([
    ['in a map', new Map([['scope', 'admin']])],
    ['inherited', Object.create({ scope: 'admin' })],
    [
      'a getter of a class',
      new (class {
        get scope(): string {
          return 'admin';
        }
      })(),
    ],
  ])('is rejected if its scope is %s', (_, requirement) => {
    expect(rejectionOf(requirement)).toEqual([
      'requirement_invalid',
      expect.stringContaining('plain object'),
    ]);
  });

  it.each<[scope: unknown, unknownScope: string]>([
    [undefined, ''],
    [null, ''],
    ['', ', not ""'],
    [[], ''],
    ['Admin', ', not "Admin"'],
    ['user admin', ', not "user admin"'],
    ['user,admin', ', not "user,admin"'],
    [['user', 'root'], ', not "root"'],
    [['user', undefined], ''],
    [new Array(1), ''],
    [[['user']], ''],
    [{ 0: 'admin', length: 1 }, ''],
    [new Set(['admin']), ''],
    [1, ''],
  ])('is rejected if its scope is unknown, empty or undefined: %o', (scope, unknownScope) => {
    expect(rejectionOf({ scope })).toEqual([
      'requirement_invalid',
      `requireAuth.scope must be one of user, admin, internal, auth, or a list of them that is not empty${unknownScope}; leave it out to ask for none [requirement_invalid]`,
    ]);
  });

  it.each<[requirement: object, sentence: string]>([
    [{ account: 99 }, 'account must be a function'],
    [{ account: null }, 'account must be a function'],
    [{ account: undefined }, 'account must be a function'],
    [{ credential: 'pat' }, 'credential must be one of: access_token, personal_access_token'],
    [{ credential: ['access_token'] }, 'credential must be one of'],
    [{ credential: 'toString' }, 'credential must be one of'],
    [{ checkSession: 'yes' }, 'checkSession must be true or false'],
    [{ checkSession: null }, 'checkSession must be true or false'],
  ])('is rejected with a value of the wrong type: %o', (requirement, sentence) => {
    expect(rejectionOf({ scope: 'user', ...requirement })).toEqual([
      'requirement_invalid',
      expect.stringContaining(`requireAuth.${sentence}`),
    ]);
  });

  it.each<[auth: unknown]>([
    [undefined],
    [null],
    ['auth'],
    [auth.bearer],
    [{ bearer: {} }],
    [Promise.resolve(auth)],
    [{ scope: 'user' }],
  ])('is rejected with auth_invalid if the first argument is not `auth`: %o', (argument) => {
    expect(rejectionOf({ scope: 'user' }, [argument])).toEqual([
      'auth_invalid',
      "requireAuth takes what createAuth has made, and then what it requires: requireAuth(auth, { scope: 'user' }) [auth_invalid]",
    ]);
  });
});
