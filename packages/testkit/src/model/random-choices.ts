import { seededRandom } from './seeded-random.ts';

/** Random choices: always the same for the same seed. */
export class RandomChoices {
  /** Returns a number from 0 to 1, exclusive. */
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Picks an item of weight 2 twice as often as one of weight 1. */
  pickWeighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item {
    return this.pick(items.flatMap(([weight, item]) => Array.from({ length: weight }, () => item)));
  }
}
