import type { SqlDefinition } from '../define-function.ts';
import { joinInstancesFunction } from './startup/join-instances.ts';
import { lastMigrationFunction } from './startup/last-migration.ts';
import { leaveInstancesFunction } from './startup/leave-instances.ts';

/** The functions of processes that start and end. */
export const STARTUP_FUNCTIONS: readonly SqlDefinition[] = [
  joinInstancesFunction,
  leaveInstancesFunction,
  lastMigrationFunction,
];
