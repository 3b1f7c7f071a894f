import { expect, it } from 'vitest';
import { appAddresses } from './app-addresses.ts';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000', 'http://[::1]:3000'],
  ['0.0.0.0', 'http://0.0.0.0:3000', 'http://localhost:3000'],
  ['::', 'http://[::]:3000', 'http://localhost:3000'],
])('an app on %s listens on %s, and is found by browsers at %s', (host, listening, browser) => {
  expect(appAddresses(host, 3000)).toEqual({ listening, browser });
});
