import { useSyncExternalStore } from 'react';
import type { Client } from './client.ts';
import type { SessionState } from './session-state.ts';
import type { AccountId } from './stored-login.ts';

/**
 * The session of the user who is logged in; null if nobody is. Undefined while unknown, as on the server and in the
 * first render of hydration. Renders again after each change, in any tab.
 *
 * @param client - create it once, outside of components
 */
export function useSession<Id extends AccountId = number>(
  client: Pick<Client<Id>, 'session' | 'subscribe'>,
): SessionState<Id> {
  return useSyncExternalStore(client.subscribe, client.session, unknownOnServer);
}

const unknownOnServer = (): undefined => undefined;
