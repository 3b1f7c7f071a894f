import { type SessionRecord, sessionGrantOf } from '@latchhook/core/storage';
import type { FunctionResult } from './function-result.ts';

/** Parses the result of `session_record`. */
export function parseSessionRecord(result: FunctionResult): SessionRecord {
  return {
    createdAtMs: result.integer('createdAtMs'),
    expiresAtMs: result.integer('expiresAtMs'),
    rotatedAtMs: result.integer('rotatedAtMs'),
    generation: result.integer('generation'),
    ...sessionGrantOf(JSON.parse(result.text('grant'))),
  };
}
