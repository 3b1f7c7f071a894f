/** A tab's `navigator.locks`, for exclusive locks. */
export interface TabLocks {
  request<Result>(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** As when the tab is closed: what it holds is free, and nothing that it asked for is answered any more. */
  close(): void;
}

interface Request {
  readonly tab: object;
  start(): void;
}

/**
 * The Web Locks of one origin: exclusive locks, granted in the order of the requests, never in the turn of the request,
 * and held until what the callback returned has settled or the tab is closed.
 */
export function webLocks(): () => TabLocks {
  const queues = new Map<string, Request[]>();

  function startFirst(queue: Request[]): void {
    const [first] = queue;
    queueMicrotask(() => {
      if (first !== undefined && queue[0] === first) first.start();
    });
  }

  function remove(queue: Request[], request: Request): void {
    const place = queue.indexOf(request);
    if (place === -1) return;
    queue.splice(place, 1);
    if (place === 0) startFirst(queue);
  }

  return () => {
    const tab = {};
    let closed = false;
    return {
      request(name, { signal }, work) {
        const queue = queues.get(name) ?? [];
        queues.set(name, queue);
        return new Promise((resolve, reject) => {
          if (closed) return;
          const giveUp = (): void => {
            remove(queue, request);
            reject(signal.reason);
          };
          signal.addEventListener('abort', giveUp);
          const request: Request = {
            tab,
            start() {
              signal.removeEventListener('abort', giveUp);
              work()
                .then(resolve, reject)
                .finally(() => remove(queue, request));
            },
          };
          queue.push(request);
          if (queue.length === 1) startFirst(queue);
        });
      },
      close() {
        closed = true;
        for (const queue of queues.values()) {
          for (const request of queue.filter((one) => one.tab === tab)) remove(queue, request);
        }
      },
    };
  };
}
