import type { AuthRequest } from './messages.ts';

/** A request as an adapter passes it on, by default without a body. */
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
