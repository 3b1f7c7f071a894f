import { number, spread, table } from './markdown.mjs';

/**
 * Compares a measured value with its goal, as a row of a {@link goalTable}.
 *
 * @param measured a summary (`{median, min, max}`): the median decides
 * @param goal `{atLeast}` or `{atMost}`; with neither, the value is only shown
 */
export function goalRow(claim, measured, { atLeast, atMost } = {}) {
  if (atLeast !== undefined) {
    return [claim, spread(measured), `>= ${number(atLeast)}`, met(measured.median >= atLeast)];
  }
  if (atMost !== undefined) {
    return [claim, spread(measured), `<= ${number(atMost)}`, met(measured.median <= atMost)];
  }
  return [claim, spread(measured), '', ''];
}

const met = (holds) => (holds ? 'met' : '**missed**');

/** The table of such rows. */
export function goalTable(rows) {
  return table(['claim', 'median (min-max)', 'goal', ''], rows);
}
