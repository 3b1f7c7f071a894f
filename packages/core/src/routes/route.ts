import type * as v from 'valibot';
import type { RouteAuth } from '../bearer/authorize-request.ts';
import type { AuthErrorCode } from '../errors.ts';
import type { RouteContext } from '../http/dispatch.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { BodyFields, BodyFormat } from '../http/read-body.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/** What an endpoint answers when all is well, or when a second factor is needed. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: v.GenericSchema;
  /** How long any cache may keep it. Absent: none may. */
  readonly maxAgeSeconds?: number;
  readonly headers?: HeaderTexts;
}

/** What the OpenAPI description says of headers that are always sent, by name. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** The body that an endpoint takes. */
export interface RouteBody<TSchema extends FieldsSchema = FieldsSchema> {
  readonly formats: readonly BodyFormat[];
  /** All schemas that may read a body. */
  readonly schemas: readonly TSchema[];
  /** The same for forms, where these differ from JSON. */
  readonly formSchemas?: readonly TSchema[];
  /** Picks the schema for this body. May reject it with an `AuthError`. */
  readonly pick: (body: BodyFields) => TSchema;
  /** Adds to the body what the rest of the request says. Absent: nothing. */
  readonly complete?: (body: BodyFields, request: AuthRequest) => BodyFields;
}

/**
 * One endpoint: what it is (read by the OpenAPI description) and what it does (read by dispatch). Made by
 * `defineRoute`, so that both come from the same schemas.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the mount. A segment in braces is a parameter: `/webhooks/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  /** What its clients must show; absent: nothing. */
  readonly auth?: RouteAuth;
  readonly query?: FieldsSchema;
  readonly body?: RouteBody;
  /** Keyed by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Rejections that are specific to this endpoint; the description adds the common ones. */
  readonly errors: readonly AuthErrorCode[];
  /** Headers of every answer, including rejections. */
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  /** What the description says of them. */
  readonly answerHeaderTexts?: HeaderTexts;
  handle(request: AuthRequest, context: RouteContext): MaybePromise<AuthResponse>;
}
