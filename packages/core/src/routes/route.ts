import type * as v from 'valibot';
import type { AuthErrorCode } from '../errors.ts';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import type { BodyFormat } from '../http/read-body.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/** What an endpoint answers when all is well, or when a second factor is needed. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: v.GenericSchema;
}

/**
 * One endpoint: what it is (read by the OpenAPI description) and what it does (read by dispatch). Both
 * come from the same schemas.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below the mount. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly query?: FieldsSchema;
  readonly body?: {
    /** More than one: whichever the discriminating field picks. */
    readonly schemas: readonly FieldsSchema[];
    readonly formats: readonly BodyFormat[];
  };
  /** By status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** The refusals that this endpoint has of its own; dispatch adds those that every one has. */
  readonly errors: readonly AuthErrorCode[];
  /** Headers of every answer, refusals too. */
  readonly answerHeaders?: (request: AuthRequest) => Readonly<Record<string, string>>;
  handle(request: AuthRequest): AuthResponse | Promise<AuthResponse>;
}
