/**
 * Who did it: `user`, who had logged in as the one that it is about; `holder`, who had nothing but the token,
 * and handed it in to have it end; `host`, by a call of its own code.
 */
export type ActingParty = 'user' | 'holder' | 'host';
