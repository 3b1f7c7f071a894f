import { expect } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import { errorOf } from './token-calls.ts';

export function expectError(answer: Answer, status: number, error: string): void {
  expect(errorOf(answer, status).error).toBe(error);
}

/** The one body, and nothing of ours but what it lists. */
export function expectErrorBody({ body, headers }: Answer): void {
  const { error, error_description, errors, attempts_remaining, ...rest } = JSON.parse(body);
  expect(rest).toEqual({});
  expect(error).toMatch(/^[a-z_]+$/);
  expect(error_description).toMatch(/^\S.*\.$/);
  for (const each of errors ?? []) {
    expect(each).toEqual({ field: expect.any(String), message: expect.any(String) });
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
}
