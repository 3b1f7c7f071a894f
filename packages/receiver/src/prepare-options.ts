import { assertGiven } from './assert-given.ts';
import type { ReceiveOptions } from './receive-webhook.ts';
import { secretBytes } from './secret-bytes.ts';

/** All names of options: the compiler demands a new one here. */
const NAMES: Readonly<Record<keyof ReceiveOptions, true>> = {
  secret: true,
  toleranceSeconds: true,
  maxBodyBytes: true,
  isDuplicate: true,
  nowMs: true,
};

/**
 * Checks options when the receiver is mounted, not when the first webhook arrives: with a variable that is not set,
 * every webhook would be refused, and the sender would not say so for three days. With a misspelt `isDuplicate`, events
 * would be handled twice, and nobody would ever say so.
 *
 * @throws {TypeError} for an invalid secret, for a value that is no number or no function, and for an unknown option
 */
export function prepareOptions(options: ReceiveOptions): ReceiveOptions {
  assertGiven(options, 'options: { secret }');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name));
  if (unknown !== undefined) {
    const names = Object.keys(NAMES).join(', ');
    throw new TypeError(`there is no option ${JSON.stringify(unknown)}; there are: ${names}`);
  }
  assertPositive('toleranceSeconds', options.toleranceSeconds);
  assertPositive('maxBodyBytes', options.maxBodyBytes);
  assertFunction('isDuplicate', options.isDuplicate);
  assertFunction('nowMs', options.nowMs);
  return { ...options, secret: secretBytes(options.secret) };
}

function assertPositive(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new TypeError(`${name} must be a number above 0`);
}

function assertFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new TypeError(`${name} must be a function`);
}
