import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';

export interface Documents<State> {
  /**
   * Reads what was written last, never from a replica. A user who is not there yet has version 0 and the initial state.
   */
  find(userId: string): Promise<{ readonly version: number; readonly state: State }>;
  /** Returns `false`, and changes nothing, if the version is another by now. */
  replace(userId: string, expectedVersion: number, state: State): Promise<boolean>;
}

/** Calls about one user that go to the store together. */
interface Batch<State> {
  readonly deadline: CallDeadline;
  readonly decisions: ((state: State) => State)[];
  readonly stored: Promise<void>;
}

/** One for all calls of a process. */
export class UserTransitions<State> {
  readonly #documents: Documents<State>;
  /** By user: the batch that can still be joined, while another one is under way. */
  readonly #waiting = new Map<string, Batch<State>>();
  /** By user: the end of the batch that was opened last. */
  readonly #lastEnd = new Map<string, Promise<void>>();

  constructor(documents: Documents<State>) {
    this.#documents = documents;
  }

  /** `decide` must not await. It is called again if another process was quicker; only its last result is stored. */
  async run<T>(
    userId: string,
    decide: (state: State) => { readonly state: State; readonly answer: T },
  ): Promise<T> {
    let answer = (): T => {
      throw new StorageUnavailableError('nothing was decided');
    };
    const { deadline, decisions, stored } = this.#waiting.get(userId) ?? this.#open(userId);
    decisions.push((state) => {
      const decided = decide(state);
      answer = () => decided.answer;
      return decided.state;
    });
    await deadline.bound(stored);
    return answer();
  }

  #open(userId: string): Batch<State> {
    // It also runs while the batch waits: a call that core has given up on must not take effect after all.
    const deadline = new CallDeadline('the store', 1000);
    const decisions: Batch<State>['decisions'] = [];
    const stored = (this.#lastEnd.get(userId) ?? Promise.resolve()).then(() => {
      this.#waiting.delete(userId);
      return this.#store(userId, decisions, deadline);
    });
    const end = stored
      .catch(() => {})
      .then(() => {
        if (this.#lastEnd.get(userId) === end) this.#lastEnd.delete(userId);
      });
    this.#lastEnd.set(userId, end);
    const batch = { deadline, decisions, stored };
    this.#waiting.set(userId, batch);
    return batch;
  }

  async #store(
    userId: string,
    decisions: Batch<State>['decisions'],
    deadline: CallDeadline,
  ): Promise<void> {
    while (!deadline.passed) {
      const { version, state } = await deadline.bound(this.#documents.find(userId));
      const decided = decisions.reduce((before, decide) => decide(before), state);
      if (await deadline.bound(this.#documents.replace(userId, version, decided))) return;
    }
    throw new StorageUnavailableError('the user is too busy');
  }
}
