/**
 * Who caused the event: `user`, the logged-in user whom the event is about; `holder`, somebody who has only presented
 * the token, to end it; `host`, by a call of its own code.
 */
export type Actor = 'user' | 'holder' | 'host';
