/** A doubly linked list. Every operation takes constant time, even the removal of a value in the middle. */
export interface LinkedList<T> {
  readonly size: number;
  readonly first: T | undefined;
  readonly last: T | undefined;
  /** Appends `value`; the returned function removes it again, and may be called once. */
  append(value: T): () => void;
}

interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/** Not a `Set`: a `Set` has no last value, and skips the slots of all deleted values to find its first. */
export function createLinkedList<T>(): LinkedList<T> {
  let size = 0;
  let first: Link<T> | undefined;
  let last: Link<T> | undefined;

  function remove({ before, after }: Link<T>): void {
    if (before === undefined) first = after;
    else before.after = after;
    if (after === undefined) last = before;
    else after.before = before;
    size -= 1;
  }

  return {
    append(value) {
      const link: Link<T> = { value, before: last, after: undefined };
      if (last === undefined) first = link;
      else last.after = link;
      last = link;
      size += 1;
      return () => remove(link);
    },
    get size() {
      return size;
    },
    get first() {
      return first?.value;
    },
    get last() {
      return last?.value;
    },
  };
}
