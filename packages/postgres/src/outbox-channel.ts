/**
 * The channel on which commits are notified. Each schema has its own, since channels are shared by all schemas of a
 * database. If two names begin with the same 56 bytes, their listeners share a channel and sometimes poll needlessly.
 */
export function outboxChannel(schema: string): string {
  // PostgreSQL limits names of channels and of schemas to 63 bytes.
  return `${schema.slice(0, 56)}_outbox`;
}
