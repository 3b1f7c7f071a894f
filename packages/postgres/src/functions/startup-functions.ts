import type { SqlDefinition } from '../define-function.ts';
import { joinInstancesFunction } from './startup/join-instances.ts';
import { lastMigrationFunction } from './startup/last-migration.ts';
import { leaveInstancesFunction } from './startup/leave-instances.ts';

/** The functions for the start and the end of a process. */
export const STARTUP_FUNCTIONS: readonly SqlDefinition[] = [
  joinInstancesFunction,
  leaveInstancesFunction,
  lastMigrationFunction,
];
