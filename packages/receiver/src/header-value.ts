/** Headers of `node:http`, in any letter case, or of `fetch`. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/** @throws {TypeError} if `headers` is not an object */
export function assertHeaders(headers: unknown): void {
  if (typeof headers === 'object' && headers !== null) return;
  throw new TypeError('headers must be those of the request, of node:http or of fetch');
}

/**
 * The value of a header; undefined if the header is absent or repeated.
 *
 * @param name - in lower case
 */
export function headerValue(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const value =
    headers[name] ??
    // Serverless platforms keep the letter case of the request.
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === 'string') return value;
  return value?.length === 1 ? value[0] : undefined;
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}
