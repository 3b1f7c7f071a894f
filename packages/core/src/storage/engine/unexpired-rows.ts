import type { MaybePromise } from '../../maybe-promise.ts';
import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/** How many expired rows a read of a transition may meet; more are first deleted by transactions of their own. */
const MAX_EXPIRED = 16;
/** How many rows such a transaction deletes at most: a database may limit what a transaction writes. */
const MAX_DELETED = 64;

/**
 * Thrown by a limited range that has met more expired rows than the transition may delete. `EngineCalls` then deletes
 * them, and runs the transition again.
 */
export class ManyExpiredRows extends Error {
  readonly index: string;
  /** The range that was read. Its limit is raised by the number of rows that one transaction deletes. */
  readonly request: RangeRequest;

  constructor(index: string, request: RangeRequest) {
    super(`The index ${index} has many expired rows.`);
    this.index = index;
    this.request = request;
  }
}

/**
 * The rows of a partition without expired ones, which an engine may keep. It is a class because each transition creates
 * one: an object literal with closures takes several times as long.
 */
export class UnexpiredRows implements Rows {
  readonly #rows: Rows;
  readonly #nowMs: number;
  readonly #mayCut: boolean;
  #isCut = false;

  /** @param mayCut - whether a limited range that meets many expired rows is cut rather than rejected */
  constructor(rows: Rows, nowMs: number, { mayCut }: { readonly mayCut: boolean }) {
    this.#rows = rows;
    this.#nowMs = nowMs;
    this.#mayCut = mayCut;
  }

  /**
   * Whether a limited range lacks rows, because more expired rows came first than could be deleted in time. Later calls
   * delete the rest.
   */
  get isCut(): boolean {
    return this.#isCut;
  }

  async get(key: string): Promise<Row | null> {
    const row = await this.#rows.get(key);
    return row === null || isExpired(row, this.#nowMs) ? null : row;
  }

  /**
   * Expired rows count towards the engine's limit, so the read is repeated with a larger limit if they leave too few
   * rows. A limited read, such as that of a queue, also deletes them, so that later reads do not read them again.
   */
  async range(
    index: string,
    { limit = Infinity, ...request }: RangeRequest = {},
  ): Promise<readonly Row[]> {
    const isUnexpired = (row: Row) => !isExpired(row, this.#nowMs);
    if (limit === Infinity) return (await this.#rows.range(index, request)).filter(isUnexpired);
    for (let limitOfRead = limit; ; limitOfRead += MAX_EXPIRED) {
      const read = await this.#rows.range(index, { ...request, limit: limitOfRead });
      const found = read.filter(isUnexpired).slice(0, limit);
      const expired = read.filter((row) => !isUnexpired(row));
      const mayHaveMore = found.length < limit && read.length === limitOfRead;
      if (expired.length > MAX_EXPIRED) {
        if (!this.#mayCut)
          throw new ManyExpiredRows(index, { ...request, limit: limitOfRead + MAX_DELETED });
        this.#isCut ||= mayHaveMore;
        return found;
      }
      if (mayHaveMore) continue;
      for (const { key } of expired) await this.#rows.delete(key);
      return found;
    }
  }

  put(row: Row): MaybePromise<void> {
    return this.#rows.put(row);
  }

  delete(key: string): MaybePromise<void> {
    return this.#rows.delete(key);
  }
}

/** Deletes the first expired rows of a range. Returns whether there may be more. */
export async function deleteSomeExpired(
  rows: Rows,
  nowMs: number,
  { index, request }: ManyExpiredRows,
): Promise<boolean> {
  const expired = (await rows.range(index, request)).filter((row) => isExpired(row, nowMs));
  for (const { key } of expired.slice(0, MAX_DELETED)) await rows.delete(key);
  return expired.length >= MAX_DELETED;
}

function isExpired({ expiresAtMs }: Row, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs;
}
