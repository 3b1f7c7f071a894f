import { defineFragment } from '../../../define-fragment.ts';

/**
 * `digestOf(hashes)`: a digest that identifies a list of codes. The list itself is not stored, so that nothing remains
 * of a used code.
 *
 * `giveCodes(codesKey, hashes)`: replaces all codes of a user with these, a JSON array of hashes.
 */
export const GIVE_CODES = defineFragment({
  lua: `
local function digestOf(hashes) return redis.sha1hex(hashes) end

local function giveCodes(codesKey, hashes)
  redis.call('DEL', codesKey)
  for _, hash in ipairs(cjson.decode(hashes)) do redis.call('SADD', codesKey, hash) end
end
`,
});
