import type { AuthRequest } from './messages.ts';

/** A request as an adapter hands it over, without a body unless one is given. */
export function plainRequest(parts: Partial<AuthRequest>): AuthRequest {
  return {
    method: 'GET',
    path: '/',
    mountPath: '',
    query: '',
    headers: {},
    authorization: undefined,
    body: { kind: 'none' },
    remoteAddress: undefined,
    ...parts,
  };
}
