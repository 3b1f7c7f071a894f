import type { AuthRequest } from './messages.ts';

/** A request as an adapter hands it over, without a body unless it is told otherwise. */
export function plainRequest(told: Partial<AuthRequest>): AuthRequest {
  return {
    method: 'GET',
    path: '/',
    mountPath: '',
    query: '',
    headers: {},
    authorization: undefined,
    body: { kind: 'none' },
    remoteAddress: undefined,
    ...told,
  };
}
