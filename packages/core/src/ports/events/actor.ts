/**
 * Who did it: `user`, the user that it is about, logged in; `holder`, somebody with nothing but the token, who
 * presented it to end it; `host`, by a call of its own code.
 */
export type Actor = 'user' | 'holder' | 'host';
