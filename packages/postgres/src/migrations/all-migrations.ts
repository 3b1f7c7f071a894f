import { sessionsMigration } from './0001-sessions.ts';
import { credentialsMigration } from './0002-credentials.ts';
import { webhooksMigration } from './0003-webhooks.ts';
import { leasesMigration } from './0004-leases.ts';
import { collationMigration } from './0005-collation.ts';
import { parkedMigration } from './0006-parked.ts';
import { outboxTimesMigration } from './0007-outbox-times.ts';
import { pausesMigration } from './0008-pauses.ts';
import { instancesMigration } from './0009-instances.ts';
import { enrolmentsBySessionMigration } from './0010-enrolments-by-session.ts';
import { queuesMigration } from './0011-queues.ts';
import type { Migration } from './migration.ts';

/** All migrations, in the order in which they are applied. */
export const ALL_MIGRATIONS: readonly Migration[] = [
  sessionsMigration,
  credentialsMigration,
  webhooksMigration,
  leasesMigration,
  collationMigration,
  parkedMigration,
  outboxTimesMigration,
  pausesMigration,
  instancesMigration,
  enrolmentsBySessionMigration,
  queuesMigration,
];
