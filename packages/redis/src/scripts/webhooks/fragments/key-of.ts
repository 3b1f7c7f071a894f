/** `keyOf(kind, name)`: a key that `WebhookKeys` describes. Needs the key `root`. */
export const KEY_OF = `
local function keyOf(kind, name) return rootKey .. ':' .. kind .. ':' .. name end
`;
