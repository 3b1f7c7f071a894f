/** One call, as its client saw it. */
export interface Operation {
  /** The login that its tokens come from. */
  readonly family: number;
  readonly kind: 'refresh' | 'revoke';
  readonly tokenIn: string;
  readonly tokenOut: string | undefined;
  readonly status: number;
  readonly invokedAtMs: number;
  readonly answeredAtMs: number;
}

/**
 * Finds what in a history contradicts the promises of sessions, whatever faults there were. Empty: nothing.
 *
 * Clients must be honest, or a 400 proves nothing: they present the newest token that they know, and let no call
 * overtake one that may still be pending.
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

/** Violations of: a token has one successor at most, and is the successor of one token at most. */
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

/** Violations of: what is sent after a revocation was acknowledged does not succeed. */
function survivals(operations: readonly Operation[]): readonly string[] {
  const acknowledged = operations.filter(({ kind, status }) => kind === 'revoke' && status === 200);
  const endedAtMs = Math.min(...acknowledged.map(({ answeredAtMs }) => answeredAtMs));
  return operations
    .filter(({ kind, status }) => kind === 'refresh' && status === 200)
    .filter(({ invokedAtMs }) => invokedAtMs > endedAtMs)
    .map(() => 'refreshed after an acknowledged revocation');
}

/** Violations of: a session that no client has revoked is never answered as ended. */
function lockOuts(operations: readonly Operation[]): readonly string[] {
  const revocations = operations.filter(({ kind }) => kind === 'revoke');
  const mayEndAtMs = Math.min(...revocations.map(({ invokedAtMs }) => invokedAtMs));
  return operations
    .filter(({ kind, status }) => kind === 'refresh' && status !== 200 && status !== 503)
    .filter(({ answeredAtMs }) => answeredAtMs < mayEndAtMs)
    .map(({ status }) => `answered ${status} though nobody had revoked it`);
}
