import type { CallDeadline, StoreFinding, StoreStartup } from '@latchhook/core/storage';
import type { Database } from './database/database.ts';
import type { CallFunction } from './function-caller.ts';
import { findCounters } from './functions/limiters/find-counters.ts';
import { joinInstances } from './functions/startup/join-instances.ts';
import { lastMigration } from './functions/startup/last-migration.ts';
import { leaveInstances } from './functions/startup/leave-instances.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import { notMigrated, schemaFindings } from './schema-findings.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

export interface PostgresStartupDeps {
  readonly database: Database;
  readonly call: CallFunction;
  readonly schema: string;
  readonly newDeadline: () => CallDeadline;
}

export function postgresStartup(deps: PostgresStartupDeps): StoreStartup {
  const { database, call, schema, newDeadline } = deps;

  async function findings(): Promise<readonly StoreFinding[]> {
    const problems = await schemaFindings(database, schema, newDeadline());
    // If something is missing or forbidden, the next call would only fail for the same reason.
    if (problems.length > 0) return problems;
    const lastNumber = await lastMigration(call);
    return lastNumber < ALL_MIGRATIONS.length
      ? [notMigrated(`the schema ${schema} is that of an earlier version`)]
      : [];
  }

  return {
    // `now_unless_expired` rejects this call, like any transition, on a standby or if transactions are read-only.
    async ping() {
      await findCounters(call, ['startup:ping']);
    },
    findings: () => findings().catch(rejectUnavailable),
    join: (instance) => joinInstances(call, instance),
    leave: (instanceId) => leaveInstances(call, instanceId),
  };
}
