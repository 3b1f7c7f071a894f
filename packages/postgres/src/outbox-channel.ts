/**
 * The channel on which commits are notified. Each schema has its own channel because all schemas of a database share
 * the names of channels. If two schemas begin with the same 56 bytes, they share a channel, and listeners sometimes
 * poll needlessly.
 */
export function outboxChannel(schema: string): string {
  // PostgreSQL limits names of channels and of schemas to 63 bytes.
  return `${schema.slice(0, 56)}_outbox`;
}
