/**
 * `digestOf(hashes)`: by which a list of codes is known again. The list itself is not kept beside the set: of
 * a code that was used nothing is left.
 *
 * `giveCodes(codesKey, hashes)`: puts the codes (a JSON array of hashes) in the place of all others.
 */
export const GIVE_CODES = `
local function digestOf(hashes) return redis.sha1hex(hashes) end

local function giveCodes(codesKey, hashes)
  redis.call('DEL', codesKey)
  for _, hash in ipairs(cjson.decode(hashes)) do redis.call('SADD', codesKey, hash) end
end
`;
