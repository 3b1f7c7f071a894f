import { describe, expect, it } from 'vitest';
import { toSendError } from './to-send-error.ts';

const TARGET = new URL('https://receiver.example/');

/** The error of `net` if this machine has no address, or no port left, to connect from. */
function noAddressFor(address: string): Error {
  const message = `connect EADDRNOTAVAIL ${address}:443`;
  const fields = { code: 'EADDRNOTAVAIL', syscall: 'connect', address, port: 443 };
  return Object.assign(new Error(message), fields);
}

/** The error of `net` if it could connect to none of several addresses. */
function noneOf(...addresses: readonly string[]): Error {
  const error = new AggregateError(addresses.map(noAddressFor));
  return Object.assign(error, { code: 'EADDRNOTAVAIL' });
}

describe('EADDRNOTAVAIL', () => {
  it.each([
    ['an address of IPv4', noAddressFor('192.0.2.1')],
    ['addresses of both families', noneOf('192.0.2.1', '2606:4700::1111')],
    ['an unknown address', Object.assign(new Error(), { code: 'EADDRNOTAVAIL' })],
  ])('is mapped to sender_failed for %s', (_, error) => {
    expect(toSendError(error, TARGET)).toBe('sender_failed');
  });

  it.each([
    ['an address of IPv6', noAddressFor('2606:4700::1111')],
    ['addresses of IPv6', noneOf('2606:4700::1111', '2606:4700::1001')],
  ])('is mapped to connection_failed for %s', (_, error) => {
    expect(toSendError(error, TARGET)).toBe('connection_failed');
  });
});
