import { errorOf, throwNetworkError } from './client-error.ts';

/**
 * Parses the body of a response. Resolves to an empty object for an error whose body is not JSON, such as that of a
 * proxy.
 *
 * @throws {ClientError} `network_error` if the connection breaks off; `invalid_answer` for a success that is not JSON,
 * such as the page of a captive portal
 */
export async function readJson<Body extends object>(response: Response): Promise<Body> {
  const text = await response.text().catch(throwNetworkError);
  try {
    // `null` and other JSON that is no object become objects, so that a caller can read fields of any body.
    return Object(JSON.parse(text));
  } catch {
    if (response.ok) throw errorOf(response, {});
    return Object();
  }
}
