/**
 * A row `d` of `deliveries` as lists answer it, but for the names of account and webhook.
 *
 * An expression rather than a function that takes the row: whoever is handed a whole row has all of it fetched, what
 * receivers answered with it.
 */
export const LISTED_DELIVERY = `json_build_object(
    'deliveryId', d.delivery_id,
    'event', (SELECT event FROM messages WHERE message = d.message),
    'sequence', d.sequence, 'state', d.state, 'deadReason', d.dead_reason,
    'createdAtMs', d.created_at_ms,
    'nextAttemptAtMs', CASE WHEN d.state IN ('queued', 'waiting') THEN d.due_at_ms END,
    'attempts', to_json(d.attempts))`;
