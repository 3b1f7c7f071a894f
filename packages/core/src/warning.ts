/** Warns the integrator of a choice that is fine only in development, or of a mistake not worth an exception. */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'LatchhookWarning', code });
}
