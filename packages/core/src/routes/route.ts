import type * as v from 'valibot';
import type { RouteAuth } from '../bearer/authorize-request.ts';
import type { AuthErrorCode } from '../errors.ts';
import type { RouteContext } from '../http/dispatch.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { BodyFields, BodyFormat } from '../http/read-body.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/** A successful response of an endpoint, or one that requires a second factor. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: v.GenericSchema;
  /** How long any cache may keep it. Absent: no cache may. */
  readonly maxAgeSeconds?: number;
  readonly headers?: HeaderTexts;
}

/** Descriptions of headers that are always sent, by name, for OpenAPI. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** The body that an endpoint accepts. */
export interface RouteBody<TSchema extends FieldsSchema = FieldsSchema> {
  readonly formats: readonly BodyFormat[];
  /** All schemas that may apply to a body. */
  readonly schemas: readonly TSchema[];
  /** All schemas that may apply to a form, if these differ from JSON. */
  readonly formSchemas?: readonly TSchema[];
  /** Picks the schema for this body. May reject it with an `AuthError`. */
  readonly pick: (body: BodyFields) => TSchema;
  /** Adds fields from the rest of the request to the body. Absent: adds none. */
  readonly complete?: (body: BodyFields, request: AuthRequest) => BodyFields;
}

/**
 * One endpoint: its declaration (read by the OpenAPI description) and its handler (called by dispatch). Made by
 * `defineRoute`, so that both use the same schemas.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the mount. A segment in braces is a parameter: `/webhooks/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  /** The credential that it requires; absent: none. */
  readonly auth?: RouteAuth;
  readonly query?: FieldsSchema;
  readonly body?: RouteBody;
  /** Keyed by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Rejections that are specific to this endpoint; the description adds the common ones. */
  readonly errors: readonly AuthErrorCode[];
  /** Headers of every response, including rejections. */
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  /** Descriptions of these headers, for OpenAPI. */
  readonly answerHeaderTexts?: HeaderTexts;
  handle(request: AuthRequest, context: RouteContext): MaybePromise<AuthResponse>;
}
