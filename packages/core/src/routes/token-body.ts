import { AuthError } from '../errors.ts';
import { parseBody } from '../http/read-fields.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';
import { grantTypeField } from './token-schemas.ts';

/** Standard OAuth clients send forms. */
const FORMATS = ['json', 'form'] as const;

/** The body of a token endpoint. */
export function tokenBody<TSchema extends FieldsSchema>(schema: TSchema): RouteBody<TSchema> {
  return { formats: FORMATS, schemas: [schema] };
}

/** The body of a token endpoint that spells some fields differently in a form and in JSON. */
export function tokenBodyOrForm<TJson extends FieldsSchema, TForm extends FieldsSchema>(
  json: TJson,
  form: TForm,
): RouteBody<TJson | TForm> {
  return {
    formats: FORMATS,
    schemas: [json, form],
    describedSchemas: [json],
    describedFormSchemas: [form],
    selectSchema: ({ format }) => (format === 'form' ? form : json),
  };
}

/**
 * The body of a token endpoint with different fields for each `grant_type`. The `grant_type` is read first: an unknown
 * one is rejected with `unsupported_grant_type`, regardless of the other fields. If it is missing, the first of
 * `grants` applies.
 */
export function grantBody<TSchema extends FieldsSchema>(
  grants: Readonly<Record<string, TSchema>>,
): RouteBody<TSchema> {
  const schemas = new Map(Object.entries(grants));
  const [defaultGrantType = ''] = schemas.keys();
  return {
    formats: FORMATS,
    schemas: [...schemas.values()],
    selectSchema(body) {
      const { grant_type: grantType = defaultGrantType } = parseBody(grantTypeField, body);
      const schema = schemas.get(grantType);
      if (schema !== undefined) return schema;
      throw new AuthError('unsupported_grant_type', 'This grant type is not supported.');
    },
  };
}
