/** How deep chains of causes are followed. */
const MAX_DEPTH = 5;

/**
 * An error as it may be shown: name, message, stack and cause. Errors of drivers carry more as properties, such as the
 * command that failed with all its arguments, which nobody may log.
 */
export function reducedError(error: unknown, depth = MAX_DEPTH): Error {
  if (!(error instanceof Error)) return new Error(`something that is no Error: ${typeof error}`);
  const reduced = new Error(error.message);
  reduced.name = error.name;
  if (error.stack !== undefined) reduced.stack = error.stack;
  if (error.cause !== undefined && depth > 0) reduced.cause = reducedError(error.cause, depth - 1);
  return reduced;
}
