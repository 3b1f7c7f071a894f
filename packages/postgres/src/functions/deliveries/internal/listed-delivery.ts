/**
 * A row `d` of `deliveries` as lists answer it, without the ids of account and webhook.
 *
 * An expression rather than a function of the row: passing a whole row fetches all of it, answers included.
 */
export const LISTED_DELIVERY = `json_build_object(
    'deliveryId', d.delivery_id,
    'event', (SELECT event FROM messages WHERE message = d.message),
    'sequence', d.sequence, 'state', d.state, 'deadReason', d.dead_reason,
    'createdAtMs', d.created_at_ms,
    'nextAttemptAtMs', CASE WHEN d.state IN ('queued', 'waiting') THEN d.due_at_ms END,
    'attempts', to_json(d.attempts))`;
