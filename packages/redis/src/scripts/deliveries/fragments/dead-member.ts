/** `deadMember(sequence, id)`: a delivery as `dead` has it: the sequence breaks ties of time. */
export const DEAD_MEMBER = `
local function deadMember(sequence, id) return string.format('%016d', sequence) .. id end
`;
