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
 * Checks options when the receiver is mounted, not when the first webhook arrives: with a variable that is not set,
 * every webhook would be rejected, and the sender would not say so for three days. With a misspelt `isDuplicate`,
 * events would be handled twice, and nobody would ever say so.
 *
 * @throws {TypeError} for an invalid secret, for a value that is no number or no function, and for an unknown option
 */
export function prepareOptions(options: ReceiveOptions): ReceiveOptions {
  assertReceiveNames(options);
  assertPositive('toleranceSeconds', options.toleranceSeconds);
  assertPositive('maxBodyBytes', options.maxBodyBytes);
  assertFunction('isDuplicate', options.isDuplicate);
  assertFunction('nowMs', options.nowMs);
  return { ...options, secret: secretBytes(options.secret) };
}

/** @throws {TypeError} for what is no object, and for an unknown option */
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
