import {
  ATTEMPTS_KEPT,
  type AttemptRecord,
  type ListedAttempt,
  RESPONSES_KEPT,
} from '../attempt-record.ts';

/** The log with one more attempt, of which the oldest go, and what was answered before these. A new one. */
export function logged(
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
