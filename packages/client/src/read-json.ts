import { throwNetworkError } from './client-error.ts';

/**
 * Parses a response: an empty object if it is not JSON, as from a proxy.
 *
 * @throws {ClientError} `network_error` if it breaks off
 */
export async function readJson<Body extends object>(response: Response): Promise<Body> {
  const text = await response.text().catch(throwNetworkError);
  try {
    return Object(JSON.parse(text));
  } catch {
    return Object();
  }
}
