/**
 * Who did it: `user`, the user that it is about, logged in; `holder`, somebody with nothing but the token, who
 * presented it to end it; `host`, by its own call code.
 */
export type Actor = 'user' | 'holder' | 'host';
