/** One call, as its client saw it. */
export interface Operation {
  /** The login that all its tokens come from. */
  readonly family: number;
  readonly kind: 'refresh' | 'revoke';
  readonly tokenIn: string;
  readonly tokenOut: string | undefined;
  readonly status: number;
  readonly invokedAtMs: number;
  readonly answeredAtMs: number;
}

/**
 * What in a history contradicts the promises of sessions, whatever has gone on in between. Empty: nothing.
 *
 * Clients must be honest, or a 400 proves nothing: they present the newest token that they know of, and let
 * nothing overtake a call that may still be under way.
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

/** A token has one successor at most, and is the successor of one token at most. */
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

/** What was sent after a revocation had been acknowledged, does not succeed. */
function survivals(operations: readonly Operation[]): readonly string[] {
  const acknowledged = operations.filter(({ kind, status }) => kind === 'revoke' && status === 200);
  const endedAtMs = Math.min(...acknowledged.map(({ answeredAtMs }) => answeredAtMs));
  return operations
    .filter(({ kind, status }) => kind === 'refresh' && status === 200)
    .filter(({ invokedAtMs }) => invokedAtMs > endedAtMs)
    .map(() => 'refreshed after an acknowledged revocation');
}

/** Who has not asked for the end of a session is not told that it has ended. */
function lockOuts(operations: readonly Operation[]): readonly string[] {
  const revocations = operations.filter(({ kind }) => kind === 'revoke');
  const mayEndAtMs = Math.min(...revocations.map(({ invokedAtMs }) => invokedAtMs));
  return operations
    .filter(({ kind, status }) => kind === 'refresh' && status !== 200 && status !== 503)
    .filter(({ answeredAtMs }) => answeredAtMs < mayEndAtMs)
    .map(({ status }) => `answered ${status} though nobody had revoked it`);
}
