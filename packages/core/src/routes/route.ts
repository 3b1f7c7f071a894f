import type * as v from 'valibot';
import type { RouteAuth } from '../bearer/route-guard.ts';
import type { AuthErrorCode } from '../errors.ts';
import type { RouteContext } from '../http/dispatch.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { BodyFields, BodyFormat } from '../http/read-body.ts';
import type { Awaitable } from '../ports/awaitable.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/** What an endpoint answers when all is well, or when a second factor is needed. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: v.GenericSchema;
  /** How long everybody may keep it. Absent: nobody may. */
  readonly maxAgeSeconds?: number;
  readonly headers?: HeaderTexts;
}

/** What the description says of headers that are always there, by their names. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** The body that an endpoint takes. */
export interface RouteBody<TSchema extends FieldsSchema = FieldsSchema> {
  readonly formats: readonly BodyFormat[];
  /** All that a body may be read by. */
  readonly schemas: readonly TSchema[];
  /** The same of a form, where it is read by others. */
  readonly formSchemas?: readonly TSchema[];
  /** The one of them for this body. May refuse it, by an `AuthError`. */
  readonly pick: (body: BodyFields) => TSchema;
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
  /** What it asks of its callers; absent: it is for everybody. */
  readonly auth?: RouteAuth;
  readonly query?: FieldsSchema;
  readonly body?: RouteBody;
  /** By status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** The refusals that this endpoint has of its own; the description adds those that every one has. */
  readonly errors: readonly AuthErrorCode[];
  /** Headers of every answer, refusals too. */
  readonly answerHeaders?: (request: AuthRequest) => AuthResponse['headers'];
  /** What the description says of them. */
  readonly answerHeaderTexts?: HeaderTexts;
  handle(request: AuthRequest, context: RouteContext): Awaitable<AuthResponse>;
}
