/** How deep chains of causes are followed. */
const MAX_DEPTH = 5;

/**
 * Copies name, message, stack and cause of an error, which are safe to log. Errors of drivers have more properties,
 * such as the failed command with all its arguments.
 */
export function sanitizeError(error: unknown, depth = MAX_DEPTH): Error {
  if (!(error instanceof Error)) return new Error(`something that is no Error: ${typeof error}`);
  const sanitized = new Error(error.message);
  sanitized.name = error.name;
  if (error.stack !== undefined) sanitized.stack = error.stack;
  if (error.cause !== undefined && depth > 0)
    sanitized.cause = sanitizeError(error.cause, depth - 1);
  return sanitized;
}
