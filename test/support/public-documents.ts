import { expect } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import { findMismatch, type JsonSchema } from './json-schema.ts';
import type { TestApp } from './test-app.ts';
import { get } from './token-calls.ts';

export const JWKS = '/.well-known/jwks.json';
export const METADATA = '/.well-known/oauth-authorization-server';
export const OPENAPI = '/openapi.json';

/** A document that is there for everybody. */
export async function getDocument(app: TestApp, path: string) {
  const answer = await get(app, path);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return JSON.parse(answer.body);
}

/** The part of our OpenAPI document that tests look at. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly scheme: string }>>;
  };
}

export interface OpenapiOperation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described & { readonly description: string }>>;
}

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export function openapiOf(app: TestApp): Promise<OpenapiDocument> {
  return getDocument(app, OPENAPI);
}

/** What a route answered; its path as the document has it. */
export type RealAnswer = readonly [method: string, path: string, answer: Answer];

/** What has content that no schema describes: the document itself, and an object without members. */
const UNDESCRIBED = [`GET ${OPENAPI} 200`, 'POST /token/revoke 200'];

export function expectDescribed(
  document: OpenapiDocument,
  [method, path, { status, body }]: RealAnswer,
): void {
  const answered = `${method} ${path} ${status}`;
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  expect(described, answered).toBeDefined();
  const schema = described?.content?.['application/json']?.schema;
  const hasNone = body === '' || UNDESCRIBED.includes(answered);
  expect(schema === undefined, answered).toBe(hasNone);
  if (schema === undefined) return;
  expect(findMismatch(schema, JSON.parse(body), document), answered).toBeNull();
}
