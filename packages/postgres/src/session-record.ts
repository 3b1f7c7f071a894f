import { type SessionRecord, sessionGrantOf } from '@latchhook/core/storage';
import type { FunctionAnswer } from './function-answer.ts';

/** Parses the result of `session_answer`. */
export function parseSessionRecord(answer: FunctionAnswer): SessionRecord {
  return {
    createdAtMs: answer.integer('createdAtMs'),
    expiresAtMs: answer.integer('expiresAtMs'),
    rotatedAtMs: answer.integer('rotatedAtMs'),
    generation: answer.integer('generation'),
    ...sessionGrantOf(JSON.parse(answer.text('grant'))),
  };
}
