import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { type BodyFields, parseBody } from '../http/read-fields.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import type { RouteBody } from './route.ts';
import { tokenBodyOrForm } from './token-body.ts';
import { challengeFields, challengeForm } from './token-schemas.ts';

const challengeBody = tokenBodyOrForm(challengeFields(builtInScopes), challengeForm(builtInScopes));

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
