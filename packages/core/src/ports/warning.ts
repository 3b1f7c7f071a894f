/** Tells the integrator of a choice that is fine in development only. Node prints each once, by its code. */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'LatchhookWarning', code });
}
