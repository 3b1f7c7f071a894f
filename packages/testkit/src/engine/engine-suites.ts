import { engineDisturbance } from '../suites/engine/engine-disturbance.ts';
import { engineExpiry } from '../suites/engine/engine-expiry.ts';
import { engineFind } from '../suites/engine/engine-find.ts';
import { engineIsolation } from '../suites/engine/engine-isolation.ts';
import { engineNames } from '../suites/engine/engine-names.ts';
import { engineRanges } from '../suites/engine/engine-ranges.ts';
import { engineRows } from '../suites/engine/engine-rows.ts';
import { engineOwnTime, engineTime } from '../suites/engine/engine-time.ts';
import { engineTransactions } from '../suites/engine/engine-transactions.ts';
import { engineValues } from '../suites/engine/engine-values.ts';
import type { EngineSuite } from './engine-suite.ts';

/** The contract of engines. */
export const ENGINE_SUITES: readonly EngineSuite[] = [
  engineTransactions,
  engineIsolation,
  engineRows,
  engineNames,
  engineRanges,
  engineFind,
  engineValues,
  engineExpiry,
  engineTime,
  engineOwnTime,
  engineDisturbance,
];
