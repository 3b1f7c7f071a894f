/**
 * `keepKnown(kind, webhook, knownMs, untilMs, lingerMs)`: as `keepUntil`, of a key of which the webhook's hash
 * tells the end, in `<kind>UntilMs`. `knownMs` is that, as it was read. Needs `keyOf` and `change`.
 *
 * A key that lost its last member has lost its end with it, which the hash does not know. But all that it held was
 * over by then. So `lingerMs` must not be longer than what is new counts: that is over later than the hash tells, and
 * the key gets a new end. Where the retention was shortened, it gets that by the first publishing that is kept longer
 * than the hash tells; one that nothing is published to any more stays.
 */
export const KEEP_KNOWN = `
local function keepKnown(kind, webhook, knownMs, untilMs, lingerMs)
  if knownMs and untilMs < tonumber(knownMs) then return end
  redis.call('PEXPIRE', keyOf(kind, webhook), untilMs - now + lingerMs)
  change(kind .. 'UntilMs', untilMs + lingerMs)
end
`;
