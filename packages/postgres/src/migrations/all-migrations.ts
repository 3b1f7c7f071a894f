import { sessionsMigration } from './0001-sessions.ts';
import { credentialsMigration } from './0002-credentials.ts';
import { webhooksMigration } from './0003-webhooks.ts';
import { instancesMigration } from './0004-instances.ts';
import type { Migration } from './migration.ts';

/** All migrations, in the order in which they are applied. */
export const ALL_MIGRATIONS: readonly Migration[] = [
  sessionsMigration,
  credentialsMigration,
  webhooksMigration,
  instancesMigration,
];
