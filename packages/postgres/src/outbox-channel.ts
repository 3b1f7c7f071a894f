/**
 * The channel on which commits are notified. Each schema has its own, since all schemas of a database share the
 * channels. If two names begin with the same 56 bytes, a listener for one sometimes looks needlessly, and that is all.
 */
export function outboxChannel(schema: string): string {
  // Names have 63 bytes at most, those of channels as those of schemas.
  return `${schema.slice(0, 56)}_outbox`;
}
