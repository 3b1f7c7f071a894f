import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';

/** A body in JSON, and in nothing else. */
export function jsonBody<TSchema extends FieldsSchema>(schema: TSchema): RouteBody<TSchema> {
  return { formats: ['json'], schemas: [schema], pick: () => schema };
}
