import type { ReceiveOptions } from './receive-webhook.ts';
import { secretBytes } from './secret-bytes.ts';

/**
 * Looks at options when a webhook is mounted, rather than when the first one arrives: a variable that is not
 * set would have every one of them refused, and the sender would not say so for three days.
 *
 * @throws {TypeError} for a secret that is none, and for what is no number
 */
export function prepareOptions(options: ReceiveOptions): ReceiveOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('give options: { secret }');
  }
  assertPositive('toleranceSeconds', options.toleranceSeconds);
  assertPositive('maxBodyBytes', options.maxBodyBytes);
  return { ...options, secret: secretBytes(options.secret) };
}

function assertPositive(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new TypeError(`${name} must be a number above 0`);
}
