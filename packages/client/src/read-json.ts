import { throwNetworkError } from './client-error.ts';

/**
 * Parses the body of a response. Resolves to an empty object if the body is not JSON, such as the error page of a
 * proxy.
 *
 * @throws {ClientError} `network_error` if the connection breaks off
 */
export async function readJson<Body extends object>(response: Response): Promise<Body> {
  const text = await response.text().catch(throwNetworkError);
  try {
    return Object(JSON.parse(text));
  } catch {
    return Object();
  }
}
