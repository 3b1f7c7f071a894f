import { expect } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import { errorOf } from './token-calls.ts';

/** A sentence of the characters that RFC 6749 5.2 allows. */
const DESCRIPTION = /^[\x21\x23-\x5b\x5d-\x7e][\x20\x21\x23-\x5b\x5d-\x7e]*\.$/;

export function expectError(response: HttpResponse, status: number, error: string): void {
  const body = errorOf(response, status);
  expect(body.error).toBe(error);
  expect(body.error_description).toMatch(DESCRIPTION);
}

/** Expects the body of an error, without further fields. */
export function expectErrorBody({ body, headers }: HttpResponse): void {
  const { error, error_description, errors, attempts_remaining, ...rest } = JSON.parse(body);
  expect(rest).toEqual({});
  expect(error).toMatch(/^[a-z_]+$/);
  expect(error_description).toMatch(DESCRIPTION);
  for (const each of errors ?? []) {
    expect(each).toEqual({ field: expect.any(String), message: expect.any(String) });
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
}
