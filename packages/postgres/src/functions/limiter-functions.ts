import type { SqlDefinition } from '../define-function.ts';
import { addPointFunction } from './limiters/add-point.ts';
import { addPointWithLockFunction } from './limiters/add-point-with-lock.ts';
import { blockCounterFunction } from './limiters/block-counter.ts';
import { findCountersFunction } from './limiters/find-counters.ts';
import { forgetCounterFunction } from './limiters/forget-counter.ts';

/** The functions of counters. */
export const LIMITER_FUNCTIONS: readonly SqlDefinition[] = [
  addPointFunction,
  findCountersFunction,
  blockCounterFunction,
  addPointWithLockFunction,
  forgetCounterFunction,
];
