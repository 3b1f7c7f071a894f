import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { workMs } from '../work-ms.test.support.ts';
import type { AuthRequest, RequestBody } from './messages.ts';
import { plainRequest } from './plain-request.test.support.ts';
import { type BodyFormat, MAX_REQUEST_BYTES, parseBody, readBody } from './read-fields.ts';

const FORMATS: readonly BodyFormat[] = ['json', 'form'];
const schema = v.object({
  name: v.optional(v.string('must be a string')),
  seconds: v.optional(v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer'))),
});

function jsonRequest(
  body: RequestBody | string,
  headers: AuthRequest['headers'] = {},
): AuthRequest {
  return plainRequest({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? { kind: 'raw', bytes: Buffer.from(body) } : body,
  });
}

const formRequest = (body: string) =>
  jsonRequest(body, { 'content-type': 'application/x-www-form-urlencoded' });

function parse(request: AuthRequest) {
  return parseBody(schema, readBody(request, FORMATS));
}

function errorCode(request: AuthRequest): string {
  try {
    parse(request);
    return 'none';
  } catch (error) {
    return error instanceof AuthError ? error.code : 'no AuthError';
  }
}

describe('readBody and parseBody', () => {
  it('converts form fields to the types of the schema, and leaves out empty fields', () => {
    expect(parse(formRequest('name=7&seconds=7'))).toEqual({ name: '7', seconds: 7 });
    expect(parse(formRequest('name=&seconds='))).toEqual({});
  });

  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'Application/JSON; charset="UTF-8"',
    'application/json; profile=x; charset = utf8',
  ])('accepts the content type %s', (type) => {
    expect(errorCode(jsonRequest('{}', { 'content-type': type }))).toBe('none');
  });

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/json; charset',
    'multipart/form-data; boundary=x',
    '',
  ])('rejects the content type %j', (type) => {
    expect(errorCode(jsonRequest('{}', { 'content-type': type }))).toBe('unsupported_media_type');
  });

  it.each<[formats: readonly BodyFormat[], description: string]>([
    [['json', 'form'], 'Send the body as JSON or as a form, in UTF-8.'],
    [['json'], 'Send the body as JSON in UTF-8.'],
  ])('names the accepted formats %j in the error', (formats, description) => {
    const request = jsonRequest('{}', { 'content-type': 'text/plain' });
    expect(() => readBody(request, formats)).toThrow(description);
  });

  it('rejects any Content-Encoding', () => {
    const request = jsonRequest('{}', { 'content-encoding': 'identity' });
    expect(errorCode(request)).toBe('unsupported_media_type');
  });

  it.each(['', 'null', '[]', '"x"', '1', '{', '{"name":null}', '{"seconds":"7"}'])(
    'rejects %j as malformed',
    (body) => {
      expect(errorCode(jsonRequest(body))).toBe('invalid_request');
    },
  );

  it('rejects a form that gives a parameter twice', () => {
    expect(errorCode(formRequest('name=a&name=b'))).toBe('invalid_request');
  });

  it('rejects JSON that is not UTF-8', () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(errorCode(jsonRequest({ kind: 'raw', bytes }))).toBe('invalid_request');
  });

  it.each(['%ff', 'a%c3', '%c3%', '%ed%a0%80', '%c0%af', '%f0%9f%98'])(
    'rejects a form with %s, which is not UTF-8',
    (value) => {
      expect(errorCode(formRequest(`name=${value}`))).toBe('invalid_request');
      expect(errorCode(formRequest(`${value}=1`))).toBe('invalid_request');
    },
  );

  it.each([
    ['%c3%a4%F0%9F%98%80', 'ä😀'],
    ['100%', '100%'],
    ['%zz%2', '%zz%2'],
    ['a+b%2B', 'a b+'],
  ])('reads %s in a form as %s', (value, name) => {
    expect(parse(formRequest(`name=${value}`))).toEqual({ name });
  });

  it('accepts a body of 16,384 bytes, and rejects a longer one with body_too_large', () => {
    expect(errorCode(jsonRequest('{}'.padEnd(MAX_REQUEST_BYTES)))).toBe('none');
    expect(errorCode(jsonRequest('{}'.padEnd(MAX_REQUEST_BYTES + 1)))).toBe('body_too_large');
  });

  it('ignores fields on the prototype', () => {
    expect(parse(jsonRequest('{"__proto__":{"name":"x"},"constructor":1}'))).toEqual({});
    const polluted = { kind: 'parsed', value: Object.create({ name: 'x' }) } as const;
    expect(parse(jsonRequest(polluted))).toEqual({});
  });

  it.each([
    [
      'a charset of 15,900 spaces',
      jsonRequest('{}', { 'content-type': `application/json;charset=${' '.repeat(15_900)}x y` }),
    ],
    ['a number of 16,000 digits', formRequest(`seconds=${'1'.repeat(16_000)}x`)],
  ])('needs less than 20 ms for %s', (_name, request) => {
    const tookMs = workMs(() => {
      errorCode(request);
    });
    expect(tookMs).toBeLessThan(20);
  });
});
