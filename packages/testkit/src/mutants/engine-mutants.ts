import type { EngineMutant } from './engine-mutant.ts';
import { ISOLATION_MUTANTS } from './isolation-mutants.ts';
import { NAME_MUTANTS } from './name-mutants.ts';
import { RANGE_MUTANTS } from './range-mutants.ts';
import { ROW_MUTANTS } from './row-mutants.ts';
import { TIME_MUTANTS } from './time-mutants.ts';
import { TRANSACTION_MUTANTS } from './transaction-mutants.ts';
import { VALUE_MUTANTS } from './value-mutants.ts';

/** Faults that adapters have had. `mutate` adds a fault to a sound engine. */
export const ENGINE_MUTANTS: readonly EngineMutant[] = [
  ...TRANSACTION_MUTANTS,
  ...ISOLATION_MUTANTS,
  ...ROW_MUTANTS,
  ...NAME_MUTANTS,
  ...RANGE_MUTANTS,
  ...VALUE_MUTANTS,
  ...TIME_MUTANTS,
];
