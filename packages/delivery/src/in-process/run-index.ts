import { SlotMap } from '@latchhook/core/delivery';
import { type DeliveryRun, nameOfRun } from '../runs/name-of-run.ts';

/** What is known of a run. */
interface Known {
  readonly run: DeliveryRun;
}

/**
 * Finds what is known of a run. Most runs are the only one of their message, and are found by its id alone: building
 * and hashing the full name of each would cost more than the rest of the look-up.
 */
export class RunIndex<Entry extends Known> {
  readonly #byMessage = new SlotMap<Entry>();
  /** By full name, those whose message had a run in here already. */
  readonly #others = new SlotMap<Entry>();

  find(run: DeliveryRun): Entry | undefined {
    const known = this.#byMessage.get(run.deliveryId);
    if (known !== undefined && isSame(known.run, run)) return known;
    return this.#others.size === 0 ? undefined : this.#others.get(nameOfRun(run));
  }

  /** The run must not be known yet. */
  add(entry: Entry): void {
    const { run } = entry;
    const isOther = this.#byMessage.get(run.deliveryId) !== undefined;
    if (isOther) this.#others.add(nameOfRun(run), entry);
    else this.#byMessage.add(run.deliveryId, entry);
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
