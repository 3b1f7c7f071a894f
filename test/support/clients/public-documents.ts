import { expect } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { findMismatch, type JsonSchema, resolveRef } from './json-schema.ts';
import { get } from './token-calls.ts';

export const JWKS = '/.well-known/jwks.json';
export const METADATA = '/.well-known/oauth-authorization-server';
export const OPENAPI = '/openapi.json';

/** Gets a public document. */
export async function getDocument(app: TestApp, path: string) {
  const response = await get(app, path);
  expect(response.status).toBe(200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  return JSON.parse(response.body);
}

/** The part of the OpenAPI document that tests read. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  /** The requests to receivers by event type; absent without webhooks. */
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, OpenapiDelivery>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, DescribedHeader>>;
    readonly securitySchemes: Readonly<Record<string, { readonly scheme: string }>>;
  };
}

export interface OpenapiOperation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

/** The request to a receiver. All event types share its parameters and responses. */
interface OpenapiDelivery {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody: Described;
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>;
}

interface DescribedResponse extends Described {
  readonly description: string;
  readonly headers: Readonly<Record<string, DescribedHeader | { readonly $ref: string }>>;
}

interface DescribedHeader {
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export function openapiOf(app: TestApp): Promise<OpenapiDocument> {
  return getDocument(app, OPENAPI);
}

/** A response of a route, with the path of the route in the document. */
export type ActualResponse = readonly [method: string, path: string, response: HttpResponse];

/** Headers that clients may rely on: the document must describe each that a response has. */
const CONTRACTUAL = [
  'allow',
  'cache-control',
  'deprecation',
  'link',
  'location',
  'retry-after',
  'sunset',
  'www-authenticate',
];

export function expectDescribed(
  document: OpenapiDocument,
  [method, path, { status, headers, body }]: ActualResponse,
): void {
  const answered = `${method} ${path} ${status}`;
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  expect(described, answered).toBeDefined();
  expect(headerMismatch(document, described?.headers ?? {}, headers), answered).toBeNull();
  const schema = described?.content?.['application/json']?.schema;
  expect(schema === undefined, answered).toBe(body === '');
  if (schema === undefined) return;
  expect(findMismatch(schema, JSON.parse(body), document), answered).toBeNull();
}

/** Returns the first header that does not match its description, or has none; `null`: all match. */
function headerMismatch(
  document: OpenapiDocument,
  described: DescribedResponse['headers'],
  sent: HttpResponse['headers'],
): string | null {
  const names = Object.keys(described).map((name) => name.toLowerCase());
  const undescribed = CONTRACTUAL.find((name) => sent[name] !== undefined && !names.includes(name));
  if (undescribed !== undefined) return `${undescribed} is not described`;
  for (const [name, header] of Object.entries(described)) {
    const { required, schema } =
      '$ref' in header ? (resolveRef(document, header.$ref) as DescribedHeader) : header;
    const value = sent[name.toLowerCase()];
    if (value === undefined && required) return `${name} is missing`;
    if (value === undefined) continue;
    const read = schema.type === 'integer' ? Number(value) : value;
    const mismatch = findMismatch(schema, read, document, name);
    if (mismatch !== null) return mismatch;
  }
  return null;
}
