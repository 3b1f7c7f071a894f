import { ConfigError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { originOf } from '../storage/store-origin.ts';

/**
 * Parts that share a transition must belong to one store: a challenge in another store outlives the end of all
 * sessions, and a webhook in another store never gets deliveries. Parts without an origin are accepted together,
 * because the host's own storage need not declare an origin.
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
  // The host itself has added an outbox without an origin to its deliveries, so the two belong together.
  if (originOf(outbox)) assertPair('deliveries', deliveries, 'deliveries.outbox', outbox);
}

function assertPair(name: string, part: unknown, otherName: string, other: unknown): void {
  if (part === undefined || other === undefined || originOf(part) === originOf(other)) return;
  throw new ConfigError(
    'storage_invalid',
    `storage.${name} and storage.${otherName} are of two stores (${nameOf(part)} and ${nameOf(other)}), but take part in one transition: take both from the same call of redisStorage(client) or postgresStorage(pool). If you wrap a part, mark the wrapper by withOriginOf(part, wrapper)`,
  );
}

function nameOf(part: unknown): string {
  return originOf(part)?.name ?? 'one that does not say what it is';
}
