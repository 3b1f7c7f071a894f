import { ConfigError } from '../errors.ts';
import type { Environment } from './environment.ts';

/** The URL parser tolerates outer spaces and backslashes, which would remain in the text that is published. */
const PLAIN_URL = /^https?:\/\/[^\s\\?#]+$/i;

/** @throws {ConfigError} `issuer_invalid` */
export function assertIssuer(issuer: string, environment: Environment): void {
  if (isPublicUrl(issuer, environment)) return;
  throw new ConfigError(
    'issuer_invalid',
    'issuer must be an https: URL without query and fragment, such as https://api.example.com',
  );
}

/** @throws {ConfigError} `base_url_invalid` */
export function assertBaseUrl(baseUrl: string | undefined, environment: Environment): void {
  if (baseUrl === undefined || isPublicUrl(baseUrl, environment)) return;
  throw new ConfigError(
    'base_url_invalid',
    'baseUrl must be an https: URL without query and fragment, such as https://api.example.com/auth',
  );
}

function isPublicUrl(text: unknown, environment: Environment): boolean {
  if (typeof text !== 'string' || !PLAIN_URL.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '' && isSafe(url, environment);
}

/** Over plain http, anyone on the network could read tokens; requests to loopback stay on the machine. */
function isSafe(url: URL, environment: Environment): boolean {
  return url.protocol === 'https:' || isLoopback(url) || environment === 'development';
}

/** Whether a URL leads to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
