import { expect, it } from 'vitest';
import { readPort } from './read-port.ts';

it.each([
  [undefined, 3000],
  ['', 3000],
  ['0', 0],
  ['8080', 8080],
  ['65535', 65_535],
])('readPort() reads PORT=%j as %i', (value, port) => {
  expect(readPort(value)).toEqual({ outcome: 'read', port });
});

it.each(['abc', '70000', '65536', '-1', '30.5', '0x10', '1e3', ' ', '3000 '])(
  'readPort() rejects PORT=%j with a reason that asks for a number',
  (value) => {
    const reason = expect.stringContaining(`PORT is ${JSON.stringify(value)}: set it to a number`);
    expect(readPort(value)).toEqual({ outcome: 'rejected', reason });
  },
);
