import type { IncomingHttpHeaders } from 'node:http';

/** What arrived at a fake receiver. */
export interface ReceivedRequest {
  readonly method: string;
  /** Includes the query, if there was one. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they arrived, over which a signature is computed. */
  readonly body: Buffer;
  /** When the whole request had arrived, by the receiver's clock. */
  readonly atMs: number;
  /** The sender's port: requests over one connection have the same port. */
  readonly remotePort: number;
}

interface Waiter {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The requests so far, in the order of their arrival. */
export class ReceivedRequests {
  readonly #requests: ReceivedRequest[] = [];
  readonly #waiters = new Set<Waiter>();

  /** @param path - Default: all paths. */
  of(path: string | undefined): readonly ReceivedRequest[] {
    return this.#requests.filter((request) => path === undefined || request.path === path);
  }

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    for (const waiter of this.#waiters) {
      if (!waiter.isMet()) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Resolves when `count` requests have arrived. */
  async waitFor(count: number, path: string | undefined): Promise<readonly ReceivedRequest[]> {
    const isMet = () => this.of(path).length >= count;
    if (!isMet()) {
      await new Promise<void>((resolve, reject) => this.#waiters.add({ isMet, resolve, reject }));
    }
    return this.of(path);
  }

  /** Rejects all pending calls of `waitFor`, because no more requests can arrive. */
  rejectWaiters(): void {
    for (const { reject } of this.#waiters) {
      reject(new Error(`the receiver was closed after ${this.#requests.length} requests`));
    }
    this.#waiters.clear();
  }
}
