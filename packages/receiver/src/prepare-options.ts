import { assertNames, type NamesOf } from './assert-names.ts';
import type { ReceiveOptions } from './receive-webhook.ts';
import { secretBytes } from './secret-bytes.ts';

const NAMES: NamesOf<ReceiveOptions> = {
  secret: true,
  toleranceSeconds: true,
  maxBodyBytes: true,
  isDuplicate: true,
  nowMs: true,
};

/**
 * Checks options when the receiver is mounted, not when the first webhook arrives. If the environment variable of the
 * secret is unset, every webhook would be rejected, and nobody would notice until the sender gives up after days. If
 * `isDuplicate` is misspelt, events would be handled twice unnoticed.
 *
 * @throws {TypeError} for an invalid secret, for a value that is not a positive number or not a function, and for an
 *   unknown option
 */
export function prepareOptions(options: ReceiveOptions): ReceiveOptions {
  assertReceiveNames(options);
  assertPositive('toleranceSeconds', options.toleranceSeconds);
  assertPositive('maxBodyBytes', options.maxBodyBytes);
  assertFunction('isDuplicate', options.isDuplicate);
  assertFunction('nowMs', options.nowMs);
  return { ...options, secret: secretBytes(options.secret) };
}

/** @throws {TypeError} for a value that is not an object, and for an unknown option */
export function assertReceiveNames(options: ReceiveOptions): void {
  assertNames(options, NAMES, '{ secret }');
}

function assertPositive(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new TypeError(`${name} must be a number above 0`);
}

function assertFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new TypeError(`${name} must be a function`);
}
