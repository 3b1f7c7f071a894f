/** A tab's `navigator.locks`, for exclusive locks. */
export interface TabLocks {
  request<Result>(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Like closing the tab: its locks are released, and its pending requests are dropped. */
  close(): void;
}

interface Request {
  readonly tab: object;
  start(): void;
}

/**
 * The Web Locks of one origin: exclusive locks, granted asynchronously in the order of the requests, and held until the
 * promise of the callback settles or the tab is closed.
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
