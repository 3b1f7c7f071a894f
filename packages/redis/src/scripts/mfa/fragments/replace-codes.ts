import { defineFragment } from '../../../define-fragment.ts';

/**
 * `digestOfCodes(hashes)`: a digest of a list of codes, by which a repeated call is recognised. The list itself is not
 * stored, so that nothing remains of a used code.
 *
 * `replaceCodes(codesKey, hashes)`: replaces all codes of a user. `hashes` is a JSON array.
 */
export const REPLACE_CODES = defineFragment({
  lua: `
local function digestOfCodes(hashes) return redis.sha1hex(hashes) end

local function replaceCodes(codesKey, hashes)
  redis.call('DEL', codesKey)
  for _, hash in ipairs(cjson.decode(hashes)) do redis.call('SADD', codesKey, hash) end
end
`,
});
