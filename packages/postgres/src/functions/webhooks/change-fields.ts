/** The variables of `changeFields`. */
export const CHANGE_VARIABLES = `
w webhooks;
v_before webhooks;
`;

/**
 * The body of a function that changes the fields of a webhook that are in `p_change`. Where nothing differs nothing is
 * written, so that a repeated call answers as the first.
 *
 * @param condition - statements that may return instead of changing anything; they find what there is in `v_before`
 */
export function changeFields(condition: string = ''): string {
  return `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'found', 'webhook', NULL); END IF;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
v_before := w;
w.url := coalesce(p_change ->> 'url', w.url);
w.rate_limit := coalesce((p_change ->> 'rateLimit')::bigint, w.rate_limit);
w.rate_limit_period := coalesce(p_change ->> 'rateLimitPeriod', w.rate_limit_period);
IF (w.url, w.rate_limit, w.rate_limit_period)
    <> (v_before.url, v_before.rate_limit, v_before.rate_limit_period) THEN
${condition}
  w.updated_at_ms := now_ms;
  UPDATE webhooks
     SET url = w.url, rate_limit = w.rate_limit, rate_limit_period = w.rate_limit_period,
         updated_at_ms = w.updated_at_ms
   WHERE sequence = w.sequence;
END IF;
RETURN json_build_object('outcome', 'found', 'webhook', webhook_record(w, now_ms));
`;
}
