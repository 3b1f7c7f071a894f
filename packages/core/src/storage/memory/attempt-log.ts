import {
  ATTEMPTS_KEPT,
  type AttemptRecord,
  type ListedAttempt,
  RESPONSES_KEPT,
} from '../attempt-record.ts';

/** A new log with one more attempt: the oldest attempt is dropped, and of older ones what was answered. */
export function withAttempt(
  log: readonly AttemptRecord[],
  last: AttemptRecord,
): readonly AttemptRecord[] {
  const kept = log.slice(1 - ATTEMPTS_KEPT);
  const forgotten = kept.at(-RESPONSES_KEPT);
  if (forgotten !== undefined && forgotten.response !== null) {
    kept[kept.length - RESPONSES_KEPT] = { ...forgotten, response: null };
  }
  kept.push(last);
  return kept;
}

export function withoutResponse(record: AttemptRecord): ListedAttempt {
  const { attempt, startedAtMs, status, durationMs, error } = record;
  return { attempt, startedAtMs, status, durationMs, error };
}
