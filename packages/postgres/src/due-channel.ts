/**
 * The channel that notifies workers of a commit after which a delivery is due. Each schema has its own channel because
 * all schemas of a database share the names of channels. If two schemas begin with the same 59 bytes, they share a
 * channel, and listeners sometimes poll needlessly.
 */
export function dueChannel(schema: string): string {
  // PostgreSQL limits names of channels and of schemas to 63 bytes.
  return `${schema.slice(0, 59)}_due`;
}
