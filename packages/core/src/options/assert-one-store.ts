import { ConfigError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { originOf } from '../storage/store-origin.ts';

/**
 * Parts that take part in one transition must be of one store: a challenge that is kept elsewhere outlives the end of
 * all sessions, and a webhook that is kept elsewhere never hears of its deliveries. Parts that nobody has marked are
 * let pass together, since a storage of the host's own need not say what it is.
 *
 * @throws {ConfigError} `storage_invalid`
 */
export function assertOneStore({
  sessions,
  challenges,
  webhooks,
  deliveries,
}: Partial<Storage>): void {
  assertPair('sessions', sessions, 'challenges', challenges);
  assertPair('webhooks', webhooks, 'deliveries', deliveries);
  const outbox = deliveries?.outbox;
  // One that a host has added to deliveries by itself is part of them.
  if (originOf(outbox)) assertPair('deliveries', deliveries, 'deliveries.outbox', outbox);
}

function assertPair(name: string, part: unknown, otherName: string, other: unknown): void {
  if (part === undefined || other === undefined || originOf(part) === originOf(other)) return;
  throw new ConfigError(
    'storage_invalid',
    `storage.${name} and storage.${otherName} are of two stores (${nameOf(part)} and ${nameOf(other)}), but take part in one transition: take both from the same call of redisStorage(client) or postgresStorage(pool). What you put around a part says whose it is by withOriginOf(part, wrapper)`,
  );
}

function nameOf(part: unknown): string {
  return originOf(part)?.name ?? 'one that does not say what it is';
}
