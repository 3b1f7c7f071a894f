import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';

/** A body that must be JSON. */
export function jsonBody<TSchema extends FieldsSchema>(schema: TSchema): RouteBody<TSchema> {
  return { formats: ['json'], schemas: [schema] };
}
