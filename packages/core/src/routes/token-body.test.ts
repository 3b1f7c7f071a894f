import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { type BodyFields, parseBody } from '../http/read-fields.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import { givenScopes } from '../scopes/scope-table.ts';
import { grantBody } from './post-token.ts';
import type { RouteBody } from './route.ts';
import { tokenBodyOrForm } from './token-body.ts';
import { challengeFields, challengeForm, tokenSchemas } from './token-schemas.ts';

const challengeBody = tokenBodyOrForm(challengeFields(givenScopes), challengeForm(givenScopes));
const { grants } = tokenSchemas(givenScopes, 'integer');

function selectSchema<TSchema extends FieldsSchema>(
  body: RouteBody<TSchema>,
  fields: BodyFields,
): TSchema {
  if (body.selectSchema === undefined) throw new Error('the body has only one schema');
  return body.selectSchema(fields);
}

function scopesOf(format: BodyFields['format'], scopes: unknown): unknown {
  const body = { format, fields: { challenge: 'x', code: '123456', scopes } };
  try {
    return parseBody(selectSchema(challengeBody, body), body).scopes;
  } catch (error) {
    return error instanceof AuthError ? error.details.fields : error;
  }
}

describe('the scopes of a token body', () => {
  it('are the same from a JSON array as from a comma-separated form field', () => {
    expect(scopesOf('json', ['user', 'admin'])).toEqual(['user', 'admin']);
    expect(scopesOf('form', 'user , admin')).toEqual(['user', 'admin']);
  });

  // The host's own parser makes a list of a parameter that was given twice.
  it('are rejected if a form has a list of them, or JSON a string', () => {
    const rejected = (message: string) => [{ field: 'scopes', message }];
    expect(scopesOf('form', ['user', 'admin'])).toEqual(rejected('must be a string'));
    expect(scopesOf('json', 'user,admin')).toEqual(rejected('must be an array'));
  });

  it.each([
    ['json', ['user', 'user']],
    ['form', 'user,user'],
  ] as const)('are rejected in %s if an item is repeated', (format, scopes) => {
    expect(scopesOf(format, scopes)).toEqual([{ field: 'scopes', message: 'must be unique' }]);
  });
});

describe('the grant of a token body', () => {
  const selectGrant = (fields: BodyFields['fields']) =>
    selectSchema<FieldsSchema>(grantBody<FieldsSchema>(grants), { format: 'json', fields });

  it('is selected by grant_type', () => {
    expect(selectGrant({ grant_type: 'password' })).toBe(grants.password);
    expect(selectGrant({ grant_type: 'refresh_token' })).toBe(grants.refresh_token);
  });

  it('is the password grant if grant_type is missing', () => {
    expect(selectGrant({})).toBe(grants.password);
  });

  it.each(['', 'Password', 'client_credentials', 'constructor', 'toString', '__proto__'])(
    'is rejected with unsupported_grant_type for the grant_type %j',
    (grantType) => {
      expect(() => selectGrant({ grant_type: grantType })).toThrow(
        expect.objectContaining({ code: 'unsupported_grant_type' }),
      );
    },
  );
});
