import { expect, it } from 'vitest';
import { readPort } from './read-port.ts';

it.each([
  [undefined, 3000],
  ['', 3000],
  ['0', 0],
  ['8080', 8080],
  ['65535', 65_535],
])('readPort() reads PORT=%j as %i', (given, port) => {
  expect(readPort(given)).toEqual({ outcome: 'read', port });
});

it.each(['abc', '70000', '65536', '-1', '30.5', '0x10', '1e3', ' ', '3000 '])(
  'readPort() rejects PORT=%j and says that it must be a number',
  (given) => {
    const reason = expect.stringContaining(`PORT is ${JSON.stringify(given)}: set it to a number`);
    expect(readPort(given)).toEqual({ outcome: 'rejected', reason });
  },
);
