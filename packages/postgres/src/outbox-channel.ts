/**
 * What a commit is notified on. Of each schema its own, since those of one database share the channels. Where the names of
 * two begin with the same 56 bytes, those who listen for one look in vain for the other, and nothing else comes of it.
 */
export function outboxChannel(schema: string): string {
  // The name of a channel has 63 bytes at most, and that of a schema may have as many.
  return `${schema.slice(0, 56)}_outbox`;
}
