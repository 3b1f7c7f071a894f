import type { IncomingHttpHeaders } from 'node:http';

/** What arrived at a fake receiver. */
export interface ReceivedRequest {
  readonly method: string;
  /** Includes the query, if there was one. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came, which a signature is computed over. */
  readonly body: Buffer;
  /** When the whole request had arrived, by the receiver's clock. */
  readonly atMs: number;
  /** The sender's port: requests with the same one came over one connection. */
  readonly remotePort: number;
}

interface Waiting {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The requests so far, in the order of their arrival. */
export class ReceivedRequests {
  readonly #requests: ReceivedRequest[] = [];
  readonly #waiting = new Set<Waiting>();

  /** @param path - Default: all paths. */
  of(path: string | undefined): readonly ReceivedRequest[] {
    return this.#requests.filter((request) => path === undefined || request.path === path);
  }

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    for (const waiting of this.#waiting) {
      if (!waiting.isMet()) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  /** Resolves when `count` requests have arrived. */
  async reach(count: number, path: string | undefined): Promise<readonly ReceivedRequest[]> {
    const isMet = () => this.of(path).length >= count;
    if (!isMet()) {
      await new Promise<void>((resolve, reject) => this.#waiting.add({ isMet, resolve, reject }));
    }
    return this.of(path);
  }

  /** Rejects all waits, as nothing more can arrive. */
  giveUp(): void {
    for (const { reject } of this.#waiting) {
      reject(new Error(`the receiver was closed after ${this.#requests.length} requests`));
    }
    this.#waiting.clear();
  }
}
