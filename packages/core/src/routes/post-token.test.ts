import { describe, expect, it } from 'vitest';
import type { BodyFields } from '../http/read-fields.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { grantBody } from './post-token.ts';
import { tokenSchemas } from './token-schemas.ts';

const { grants } = tokenSchemas(builtInScopes, 'integer');

describe('the grant of a token body', () => {
  const selectGrant = (fields: BodyFields['fields']) =>
    grantBody<FieldsSchema>(grants).selectSchema?.({ format: 'json', fields });

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
