/** One call and its response, from the client's view. */
export interface Operation {
  /** The login from which its tokens come. */
  readonly family: number;
  readonly kind: 'refresh' | 'revoke';
  readonly tokenIn: string;
  readonly tokenOut: string | undefined;
  readonly status: number;
  readonly invokedAtMs: number;
  readonly answeredAtMs: number;
}

/**
 * Returns the contradictions between a history and the guarantees of sessions, which hold under any faults.
 *
 * Clients must send the newest token that they know, and never while an earlier call may be pending: otherwise a 400
 * proves nothing.
 */
export function findContradictions(history: readonly Operation[]): readonly string[] {
  const families = new Map<number, Operation[]>();
  for (const operation of history) {
    const family = families.get(operation.family) ?? [];
    families.set(operation.family, family);
    family.push(operation);
  }
  return [...families].flatMap(([id, operations]) =>
    [...forks(operations), ...survivals(operations), ...lockOuts(operations)].map(
      (contradiction) => `family ${id}: ${contradiction}`,
    ),
  );
}

/** Finds violations of this: a token has at most one successor and at most one predecessor. */
function forks(operations: readonly Operation[]): readonly string[] {
  const successors = new Map<string, string>();
  const predecessors = new Map<string, string>();
  return operations.flatMap(({ tokenIn, tokenOut }) => {
    if (tokenOut === undefined) return [];
    const successor = successors.get(tokenIn) ?? tokenOut;
    const predecessor = predecessors.get(tokenOut) ?? tokenIn;
    successors.set(tokenIn, successor);
    predecessors.set(tokenOut, predecessor);
    return successor === tokenOut && predecessor === tokenIn ? [] : ['the chain of tokens forks'];
  });
}

/** Finds violations of this: a refresh that begins after an acknowledged revocation does not succeed. */
function survivals(operations: readonly Operation[]): readonly string[] {
  const acknowledged = operations.filter(({ kind, status }) => kind === 'revoke' && status === 200);
  const endedAtMs = Math.min(...acknowledged.map(({ answeredAtMs }) => answeredAtMs));
  return operations
    .filter(({ kind, status }) => kind === 'refresh' && status === 200)
    .filter(({ invokedAtMs }) => invokedAtMs > endedAtMs)
    .map(() => 'refreshed after an acknowledged revocation');
}

/** Finds violations of this: a session that no client has revoked is never rejected as ended. */
function lockOuts(operations: readonly Operation[]): readonly string[] {
  const revocations = operations.filter(({ kind }) => kind === 'revoke');
  const mayEndAtMs = Math.min(...revocations.map(({ invokedAtMs }) => invokedAtMs));
  return operations
    .filter(({ kind, status }) => kind === 'refresh' && status !== 200 && status !== 503)
    .filter(({ answeredAtMs }) => answeredAtMs < mayEndAtMs)
    .map(({ status }) => `answered ${status} though nobody had revoked it`);
}
