import type { SqlDefinition } from '../define-function.ts';
import { addPointWithLockFunction } from './limiters/add-point-with-lock.ts';
import { addPointsFunction } from './limiters/add-points.ts';
import { blockCounterFunction } from './limiters/block-counter.ts';
import { findCountersFunction } from './limiters/find-counters.ts';
import { forgetCounterFunction } from './limiters/forget-counter.ts';

/** The functions of counters. */
export const LIMITER_FUNCTIONS: readonly SqlDefinition[] = [
  addPointsFunction,
  findCountersFunction,
  blockCounterFunction,
  addPointWithLockFunction,
  forgetCounterFunction,
];
