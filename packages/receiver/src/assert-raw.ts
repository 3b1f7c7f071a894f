/** @throws {TypeError} for a body that has been parsed, or was not read */
export function assertRaw(body: unknown): void {
  if (typeof body === 'string' || body instanceof Uint8Array) return;
  throw new TypeError(
    'body must be what is sent and received, to the byte, as a string, a Buffer or another Uint8Array: one that has been parsed cannot be verified',
  );
}
