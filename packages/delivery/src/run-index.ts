import { type DeliveryRun, nameOfRun } from './name-of-run.ts';

/** What is known of a run. */
interface Known {
  readonly run: DeliveryRun;
}

/**
 * Finds what is known of a run: by the id of its message alone, where no other run has that. Most have one to themselves,
 * and need no name put together, and hashed, of all that tells runs apart.
 */
export class RunIndex<Entry extends Known> {
  readonly #byMessage = new Map<string, Entry>();
  /** Those that found another one in their place, by name. */
  readonly #others = new Map<string, Entry>();

  find(run: DeliveryRun): Entry | undefined {
    const known = this.#byMessage.get(run.deliveryId);
    if (known !== undefined && isSame(known.run, run)) return known;
    return this.#others.size === 0 ? undefined : this.#others.get(nameOfRun(run));
  }

  /** Of a run that is not known. */
  add(entry: Entry): void {
    const { run } = entry;
    if (this.#byMessage.has(run.deliveryId)) this.#others.set(nameOfRun(run), entry);
    else this.#byMessage.set(run.deliveryId, entry);
  }

  delete({ run }: Entry): void {
    const known = this.#byMessage.get(run.deliveryId);
    if (known !== undefined && isSame(known.run, run)) this.#byMessage.delete(run.deliveryId);
    else this.#others.delete(nameOfRun(run));
  }
}

function isSame(one: DeliveryRun, other: DeliveryRun): boolean {
  return one.run === other.run && one.webhookId === other.webhookId;
}
