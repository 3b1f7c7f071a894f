/** What a commit is notified on. Of each schema its own: those of one database share the channels. */
export function outboxChannel(schema: string): string {
  // A name of at most 63 bytes, which a schema may take all of.
  return `${schema.slice(0, 56)}_outbox`;
}
