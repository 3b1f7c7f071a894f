import { boundedInteger } from '../bounded-integer.ts';

/** The names of a group's numeric options. */
type NumberName<Group> = {
  [Name in keyof Group]-?: Group[Name] extends number | undefined ? Name : never;
}[keyof Group] &
  string;

/**
 * Returns a function that reads the integers of one group of options, each within its bounds, or else its default.
 *
 * @param group - its name in the options: `lifetimes`
 * @throws {ConfigError} `option_out_of_bounds`, by the returned function
 */
export function boundedOptions<Group extends object>(
  group: string,
  options: Group,
): (
  name: NumberName<Group>,
  fallback: number,
  bounds: readonly [min: number, max?: number],
) => number {
  return (name, fallback, bounds) => {
    const value = options[name] as number | undefined;
    return boundedInteger(`${group}.${name}`, value, fallback, bounds);
  };
}
