import { throwNetworkError } from './client-error.ts';

/**
 * Reads the body of an answer: an empty object where that is no JSON, as from a proxy.
 *
 * @throws {ClientError} `network_error` where it breaks off
 */
export async function readJson<Body extends object>(response: Response): Promise<Body> {
  const text = await response.text().catch(throwNetworkError);
  try {
    return Object(JSON.parse(text));
  } catch {
    return Object();
  }
}
