import { describe, expect, it } from 'vitest';
import { portOf } from './port-of.ts';

describe('portOf', () => {
  it.each([
    ['https://example.com/', 443],
    ['http://example.com/', 80],
    ['https://example.com:443/', 443],
    ['https://example.com:80/', 80],
    ['http://example.com:8080/', 8080],
  ])('returns for %s the port %d', (url, port) => {
    expect(portOf(new URL(url))).toBe(port);
  });
});
