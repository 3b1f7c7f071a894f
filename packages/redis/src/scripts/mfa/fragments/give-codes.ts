import { defineFragment } from '../../../define-fragment.ts';

/**
 * `digestOf(hashes)`: a digest by which a list of codes is recognised. The list itself is not kept, so that nothing is
 * left of a code that was used.
 *
 * `giveCodes(codesKey, hashes)`: replaces all codes of a user by these, a JSON array of hashes.
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
