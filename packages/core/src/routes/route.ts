import type * as v from 'valibot';
import type { RouteAuth } from '../bearer/authorize-request.ts';
import type { AuthErrorCode } from '../errors.ts';
import type { RouteContext } from '../http/dispatch.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { BodyFields, BodyFormat } from '../http/read-fields.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/** A successful response of an endpoint, or one that requires a second factor. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: v.GenericSchema;
  /** How long caches may keep the response. Absent: no cache may keep it. */
  readonly maxAgeSeconds?: number;
  readonly headers?: HeaderTexts;
}

/** Descriptions of headers that are always sent, by name, for OpenAPI. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** The body that an endpoint accepts. */
export type RouteBody<TSchema extends FieldsSchema = FieldsSchema> = {
  readonly formats: readonly BodyFormat[];
  /** For the OpenAPI description, if it differs from `schemas`. */
  readonly describedSchemas?: readonly TSchema[];
  /** For the OpenAPI description of a form, if it differs from that of JSON. */
  readonly describedFormSchemas?: readonly TSchema[];
  /** Adds fields from the rest of the request, such as a token from its cookies. */
  readonly addFields?: (body: BodyFields, request: AuthRequest) => BodyFields;
} & (
  | { readonly schemas: readonly [TSchema]; readonly selectSchema?: undefined }
  | {
      readonly schemas: readonly TSchema[];
      /** Selects one of several schemas by the body, or rejects the body with an `AuthError`. */
      readonly selectSchema: (body: BodyFields) => TSchema;
    }
);

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
  /** The credential that the endpoint requires; absent: none. */
  readonly auth?: RouteAuth;
  readonly query?: FieldsSchema;
  readonly body?: RouteBody;
  /** Keyed by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Rejections that are specific to this endpoint; the description adds the common ones. Absent: none. */
  readonly errors?: readonly AuthErrorCode[];
  /** Headers of every response, including rejections. */
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  /** Descriptions of these headers, for OpenAPI. */
  readonly answerHeaderTexts?: HeaderTexts;
  handle(request: AuthRequest, context: RouteContext): MaybePromise<AuthResponse>;
}
