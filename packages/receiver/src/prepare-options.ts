import type { ReceiveOptions } from './receive-webhook.ts';
import { secretBytes } from './secret-bytes.ts';

/** All that there are: the compiler asks for a name that is added. */
const NAMES: Readonly<Record<keyof ReceiveOptions, true>> = {
  secret: true,
  toleranceSeconds: true,
  maxBodyBytes: true,
  isDuplicate: true,
  nowMs: true,
};

/**
 * Looks at options when a webhook is mounted, rather than when the first one arrives: a variable that is not
 * set would have every one of them refused, and the sender would not say so for three days. A misspelt `isDuplicate`
 * would have events handled twice, and nobody say so ever.
 *
 * @throws {TypeError} for a secret that is none, for what is no number or no function, and for a name that is no option's
 */
export function prepareOptions(options: ReceiveOptions): ReceiveOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('give options: { secret }');
  }
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
