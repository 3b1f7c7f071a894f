/**
 * The subscribers of this process, by the name of the engine, so that storages with different connections to one
 * database notify each other. Databases of the same kind share a name, so a worker is sometimes notified needlessly,
 * which costs only a claim.
 */
const listeners = new Map<string, Set<() => void>>();

/** Notifies the workers of this process that something may be due. Other processes poll. */
export class DueNotifier {
  readonly #name: string;

  constructor(engineName: string) {
    this.#name = engineName;
  }

  notify(): void {
    for (const onDue of listeners.get(this.#name) ?? []) onDue();
  }

  subscribe(onDue: () => void): () => Promise<void> {
    const listenersOfEngine = listeners.get(this.#name) ?? new Set();
    listeners.set(this.#name, listenersOfEngine);
    const listener = (): void => onDue();
    listenersOfEngine.add(listener);
    return async () => {
      listenersOfEngine.delete(listener);
      // After a second call of this function, the engine may have another set, of later subscribers.
      if (listenersOfEngine.size === 0 && listeners.get(this.#name) === listenersOfEngine)
        listeners.delete(this.#name);
    };
  }
}
